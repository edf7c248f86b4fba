//! The page of `relo trace --html`, in a browser: stepping, the keyboard, and nothing that asks a network.

use std::path::Path;
use std::process::Command;

use crate::support::{arg, folder, relo_ok, run};
use crate::trace::FLAGS;

/// What the browser has in the end, after a script of ours has done something to the page.
fn browsed(page: &Path, script: &str) -> serde_json::Value {
    let folder = folder();
    let text = std::fs::read_to_string(page).expect("the page is there");
    let driver = format!(
        "<script>document.addEventListener('securitypolicyviolation', (e) => document.title = e.violatedDirective);\n\
         const told = (value) => {{ const box = document.createElement('pre'); box.id = 'told';\n\
         box.textContent = JSON.stringify(value); document.body.append(box); }};\n{script}</script></body>"
    );
    let driven = folder.path().join("driven.html");
    std::fs::write(&driven, text.replace("</body>", &driver)).expect("written");
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.arg(format!("--user-data-dir={}", arg(&folder.path().join("profile"))));
    command.args(["--virtual-time-budget=4000", "--dump-dom"]).arg(format!("file://{}", arg(&driven)));
    let dom = run(&mut command);
    let told = dom.split("<pre id=\"told\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let told = told.unwrap_or_else(|| panic!("the script did not come to its end\n{dom}"));
    let told = told.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&told).expect("it is JSON")
}

/// An input in which rules take several steps, its page, and the steps as JSON.
fn traced(input: &str, folder: &Path) -> (std::path::PathBuf, Vec<serde_json::Value>) {
    let file = folder.join("in.mlir");
    std::fs::write(&file, input).expect("written");
    let page = folder.join("out.html");
    let mut arguments = vec!["trace", arg(&file), "--html", arg(&page)];
    arguments.extend(FLAGS);
    relo_ok(&arguments);
    let mut arguments = vec!["--format", "json", "trace", arg(&file)];
    arguments.extend(FLAGS);
    let steps = relo_ok(&arguments);
    (page, steps.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

const INPUT: &str = "\
llvm.mlir.global external @table() : !llvm.array<8 x ptr>
llvm.func @once(%other: !llvm.ptr) -> !llvm.ptr {
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %third = llvm.getelementptr %table[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %word = llvm.load %third : !llvm.ptr -> !llvm.ptr
  llvm.return %word : !llvm.ptr
}
llvm.func @\"</script>\"() {
  llvm.return
}
";

/// What the page shows, as a script sees it.
const SHOWN: &str = "
const rows = (name) => [...document.querySelectorAll(`.part:not([hidden]) .row${name}`)].map((row) => row.textContent);
const shown = () => ({
  count: document.getElementById('count').textContent,
  about: document.getElementById('about').textContent,
  rule: document.getElementById('rule').textContent,
  current: [...document.querySelectorAll('#steps [aria-current]')].map((step) => step.textContent),
  made: rows('.new'), gone: rows('.gone'), module: rows(':not(.gone)'), hash: location.hash,
});
const press = (key, more) =>
  document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
const click = (id) => document.getElementById(id).click();
";

#[test]
fn it_steps_forward_and_back() {
    let folder = folder();
    let (page, steps) = traced(INPUT, folder.path());
    let count = steps.len();
    assert!(count >= 4, "only {count} steps");
    let script = format!(
        "{SHOWN}
        const forward = [shown()], back = [];
        for (let step = 0; step < {count}; step++) {{ press('ArrowRight'); forward.push(shown()); }}
        press('ArrowRight');
        back.push(shown());
        for (let step = 0; step < {count}; step++) {{ press('ArrowLeft'); back.push(shown()); }}
        press('ArrowLeft');
        back.reverse();
        const first = shown();
        press('End'); const end = shown();
        press('ArrowLeft', {{ ctrlKey: true }}); const ignored = shown();
        press('Home'); const home = shown();
        click('last'); const last = shown();
        click('back'); const before = shown();
        click('next'); const next = shown();
        click('first'); const start = shown();
        document.querySelectorAll('#steps button')[2].click(); const second = shown();
        told({{ forward, back, first, end, ignored, home, last, before, next, start, second,
          loaded: performance.getEntriesByType('resource').map((entry) => entry.name), title: document.title }});"
    );
    let told = browsed(&page, &script);
    let forward = told["forward"].as_array().expect("a list");
    assert_eq!(told["forward"], told["back"]);
    for (name, step) in [("first", 0), ("end", count), ("ignored", count), ("home", 0), ("last", count)] {
        assert_eq!(told[name], forward[step], "{name}");
    }
    for (name, step) in [("before", count - 1), ("next", count), ("start", 0), ("second", 2)] {
        assert_eq!(told[name], forward[step], "{name}");
    }
    for (index, shown) in forward.iter().enumerate() {
        assert_eq!(shown["count"], format!("{index} of {count}"));
        assert_eq!(shown["hash"], format!("#{index}"));
        assert_eq!(shown["current"].as_array().map(Vec::len), Some(1));
        let Some(step) = index.checked_sub(1).map(|index| &steps[index]) else {
            assert_eq!(shown["made"], serde_json::json!([]));
            assert!(shown["module"].as_array().expect("rows").len() >= 8, "{shown}");
            continue;
        };
        let lines = |which: &str| -> Vec<serde_json::Value> {
            let changes = step["changes"].as_array().expect("changes").iter();
            changes.flat_map(|change| change[which].as_array().cloned().expect("lines")).collect()
        };
        assert_eq!(shown["made"], serde_json::Value::Array(lines("after")), "step {index}");
        assert_eq!(shown["gone"], serde_json::Value::Array(lines("before")), "step {index}");
        let (rule, about) = (shown["rule"].as_str().expect("text"), shown["about"].as_str().expect("text"));
        if let Some(path) = step["rule"].as_str() {
            assert!(about.contains(path), "{about}");
            let name = path.rsplit('.').next().expect("a name");
            assert!(rule.contains(&format!("rule {name} {{")) && !rule.contains("test \""), "{rule}");
            assert!(rule.ends_with('}'), "{rule}");
        } else {
            assert_eq!(rule, "");
        }
    }
    let module = forward[count]["module"].to_string();
    assert!(module.contains("llvm.mlir.global") && !module.contains("reloc.slot"), "{module}");
    assert!(module.contains("@\\\"</script>\\\""), "{module}");
    assert_eq!(told["loaded"], serde_json::json!([]), "the page loads something");
    assert_eq!(told["title"], format!("relo trace: {}", arg(&folder.path().join("in.mlir"))));
    let text = std::fs::read_to_string(&page).expect("the page is there");
    for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "<link"] {
        assert!(!text.contains(word), "the page says `{word}`");
    }
}

#[test]
fn the_step_in_the_address_is_shown() {
    let folder = folder();
    let (page, _) = traced(INPUT, folder.path());
    let script = format!(
        "{SHOWN} location.hash = '#2';
        window.addEventListener('hashchange', () => setTimeout(() => told(shown()), 10));"
    );
    assert!(browsed(&page, &script)["count"].as_str().expect("text").starts_with("2 of "));
}

#[test]
fn of_a_large_module_only_what_changes_is_there() {
    let folder = folder();
    let mut input = INPUT.replace(
        "  llvm.return %word",
        &format!("{}  llvm.return %word", "  %one = llvm.mlir.constant(1 : i64) : i64\n"),
    );
    let sums: Vec<String> =
        (1..3000).map(|at| format!("  %s{at} = llvm.add %s{}, %s{} : i64\n", at - 1, at - 1)).collect();
    let body = format!("  %s0 = llvm.mlir.constant(1 : i64) : i64\n{}", sums.concat());
    input = input.replace("  %one = llvm.mlir.constant(1 : i64) : i64\n", &body);
    for index in 0..400 {
        input.push_str(&format!("llvm.func @still{index}(%a: i64) -> i64 {{\n  %b = llvm.add %a, %a : i64\n  llvm.return %b : i64\n}}\n"));
    }
    let (page, steps) = traced(&input, folder.path());
    let size = std::fs::metadata(&page).expect("it is there").len();
    assert!(size < 60_000, "{size} bytes");
    let script = format!(
        "{SHOWN} press('End'); const module = rows('');
        told({{ module, count: shown().count, note: document.querySelector('.note').textContent }});"
    );
    let told = browsed(&page, &script);
    assert_eq!(told["count"], format!("{0} of {0}", steps.len()));
    let module = told["module"].as_array().expect("rows");
    assert!(module.len() < 120, "{} rows", module.len());
    assert!(
        module.iter().any(|row| row
            .as_str()
            .is_some_and(|row| row.ends_with("lines that no rule changes are left out")))
    );
    assert!(
        told["note"].as_str().is_some_and(|note| note.contains("401 symbols that no rule changes")),
        "{}",
        told["note"]
    );
}
