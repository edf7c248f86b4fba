//! Rules of the phase `fold` are sound: what they decide is what the code finds out by itself, with words that are patched and with words that are baked.

use std::process::Command;

use crate::support::{arg, folder, relo_ok, run};

/// Each comparison as a bit, its operands as they are or hidden from the rules.
fn comparisons(function: &str, hidden: bool) -> String {
    let mut body = String::new();
    for slot in ["foo", "again", "bar"] {
        body.push_str(&format!("  %{slot}.w = load ptr, ptr @{slot}\n"));
        let call = format!("call ptr @hide(ptr %{slot}.w)");
        let same = format!("getelementptr i8, ptr %{slot}.w, i64 0");
        body.push_str(&format!("  %{slot} = {}\n", if hidden { call } else { same }));
    }
    let used = |slot: &str| if hidden { format!("%{slot}") } else { format!("%{slot}.w") };
    let pairs =
        [("foo", used("again")), ("foo", used("bar")), ("foo", "null".into()), ("bar", "null".into())];
    let mut last = "0".to_owned();
    for (at, (left, right)) in pairs.iter().enumerate() {
        for (bit, predicate) in ["eq", "ne"].iter().enumerate() {
            let n = 2 * at + bit;
            body.push_str(&format!(
                "  %c{n} = icmp {predicate} ptr {}, {right}\n  %z{n} = zext i1 %c{n} to i64\n  \
                 %m{n} = shl i64 %z{n}, {n}\n  %s{n} = or i64 {last}, %m{n}\n",
                used(left)
            ));
            last = format!("%s{n}");
        }
    }
    format!("define i64 @{function}() {{\n{body}  ret i64 {last}\n}}\n")
}

fn module() -> String {
    let mut text = String::from("target triple = \"x86_64-unknown-linux-gnu\"\n");
    for slot in ["foo", "again", "bar"] {
        text.push_str(&format!("@{slot} = external global ptr\n"));
    }
    text.push_str("define internal ptr @hide(ptr %p) noinline optnone {\n  ret ptr %p\n}\n");
    text.push_str(&comparisons("folded", false));
    text.push_str(&comparisons("hidden", true));
    text.push_str("!reloc.sites = !{!0, !2, !3}\n");
    text.push_str("!0 = !{ptr @foo, i64 0, i64 64, !1, !\"defer\", i64 -1}\n");
    text.push_str("!1 = !{!\"object\", !\"julia\", !\"sym:foo\", i64 0}\n");
    text.push_str("!2 = !{ptr @again, i64 0, i64 64, !1, !\"defer\", i64 -1}\n");
    text.push_str("!3 = !{ptr @bar, i64 0, i64 64, !4, !\"defer\", i64 -1}\n");
    text.push_str("!4 = !{!\"object\", !\"julia\", !\"sym:bar\", i64 0}\n");
    text
}

#[test]
fn folded_comparisons_give_what_the_code_would_find() {
    let folder = folder();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let library = folder.path().join("libobjects.so");
    let source = write("objects.c", "char rt_foo[16], rt_bar[16];\n");
    run(Command::new("cc").args(["-shared", "-fPIC", "-o", arg(&library), arg(&source)]));
    let object = |key: &str| serde_json::json!({ "object": { "runtime": "julia", "key": key } });
    let is = |name: &str| serde_json::json!({ "symbol": { "name": name, "library": arg(&library) } });
    let resolve = serde_json::json!({ "entries": [
        { "target": object("sym:foo"), "is": is("rt_foo") },
        { "target": object("sym:bar"), "is": is("rt_bar") },
    ] });
    let resolve = write("resolve.json", &resolve.to_string());
    let session = serde_json::json!({ "entries": [
        { "address": "0x7f0000001000", "target": object("sym:foo") },
        { "address": "0x7f0000002000", "target": object("sym:bar") },
    ] });
    let session = write("session.json", &session.to_string());
    let input = write("module.ll", &module());
    // The phase knows no strategy: what is run here are the two ways in which a word comes to be known.
    for strategy in ["patch", "bake"] {
        let output = folder.path().join(format!("{strategy}.so"));
        let mut arguments =
            vec!["compile", arg(&input), "-t", "x86_64-linux", "-O0", "--use", "julia", "--trace"];
        arguments.extend(["--session", arg(&session), "--strategy", strategy, "-o", arg(&output)]);
        let trace = relo_ok(&arguments);
        let fired =
            |rule: &str| trace.lines().filter(|line| line.starts_with(&format!("fold: {rule}"))).count();
        assert_eq!(fired("core.same_word"), 2, "{strategy}: {trace}");
        assert_eq!(fired("core.object_is"), 4, "{strategy}: {trace}");
        assert_eq!(fired("julia.distinct_objects"), 2, "{strategy}: {trace}");
        let mut results = Vec::new();
        for entry in ["folded", "hidden"] {
            let mut arguments = vec!["run", arg(&output), "--entry", entry, "--signature", "i64 ()"];
            arguments.extend(["--resolve", arg(&resolve), "--allow", arg(&library)]);
            if strategy == "bake" {
                arguments.push("--bound");
            }
            results.push(relo_ok(&arguments));
        }
        assert_eq!(results[0], results[1], "{strategy}");
        assert_eq!(results[0], format!("{}\n", 0b1010_1001), "{strategy}");
    }
}
