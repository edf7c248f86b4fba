//! `relo link`: LLVM's linker does linkage, relo the relocations.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{arg, folder, manifest, relo, relo_ok, run};

/// A slot's entry of `!reloc.sites`, with the object that it refers to.
fn deferred(sites: &[(&str, u64, &str)]) -> String {
    let mut text = String::from("!reloc.sites = !{");
    let numbers: Vec<String> = (0..sites.len()).map(|at| format!("!{}", 2 * at)).collect();
    text.push_str(&numbers.join(", "));
    text.push_str("}\n");
    for (at, (symbol, offset, key)) in sites.iter().enumerate() {
        let (entry, referent) = (2 * at, 2 * at + 1);
        text.push_str(&format!(
            "!{entry} = !{{ptr @{symbol}, i64 {offset}, i64 64, !{referent}, !\"defer\", i64 -1}}\n\
             !{referent} = !{{!\"object\", !\"julia\", !\"{key}\", i64 0}}\n"
        ));
    }
    text
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Links modules of one file each; what came out, as text.
fn linked(modules: &[String], more: &[&str]) -> String {
    let folder = folder();
    let paths: Vec<PathBuf> = modules
        .iter()
        .enumerate()
        .map(|(at, text)| write(folder.path(), &format!("{at}.ll"), text))
        .collect();
    let output = folder.path().join("linked.ll");
    let mut arguments = vec!["link"];
    arguments.extend(paths.iter().map(|path| arg(path)));
    arguments.extend(["-o", arg(&output)]);
    arguments.extend(more);
    relo_ok(&arguments);
    std::fs::read_to_string(output).expect("written")
}

fn loads(function: &str, slot: &str) -> String {
    format!(
        "@{slot} = external global ptr\ndefine ptr @{function}() {{\n  %w = load ptr, ptr @{slot}\n  ret ptr %w\n}}\n"
    )
}

#[test]
fn slots_that_mean_the_same_are_one() {
    let one = loads("one", "foo") + &deferred(&[("foo", 0, "sym:foo")]);
    let two = loads("two", "another_foo") + &deferred(&[("another_foo", 0, "sym:foo")]);
    let three = loads("three", "bar") + &deferred(&[("bar", 0, "sym:bar")]);
    let text = linked(&[one, two, three], &[]);
    assert_eq!(text.matches("external global ptr").count(), 2, "{text}");
    assert_eq!(text.matches("load ptr, ptr @another_foo").count(), 2, "{text}");
    assert!(!text.contains("@foo"), "{text}");
}

#[test]
fn a_local_global_makes_room_for_a_slot() {
    let one = loads("one", "a") + &deferred(&[("a", 0, "sym:foo")]);
    let two = "@a = internal global i64 3\ndefine ptr @local() {\n  ret ptr @a\n}\n".to_owned()
        + &loads("two", "b")
        + &deferred(&[("b", 0, "sym:foo")]);
    let text = linked(&[one, two], &[]);
    assert_eq!(text.matches("load ptr, ptr @a,").count(), 2, "{text}");
    assert!(text.contains("@a.local = internal global i64 3"), "{text}");
}

#[test]
fn equal_records_are_one_and_others_are_told_apart() {
    let record = |function: &str, payload: u64| {
        format!(
            "@box = internal unnamed_addr constant {{ i64, i64 }} {{ i64 0, i64 {payload} }}\n\
             define ptr @{function}() {{\n  ret ptr @box\n}}\n{}",
            deferred(&[("box", 0, "type:Int64")])
        )
    };
    let text = linked(&[record("one", 7), record("two", 7), record("three", 8)], &[]);
    assert_eq!(text.matches("unnamed_addr constant").count(), 2, "{text}");
    assert_eq!(text.matches("!{ptr @box.").count(), 2, "{text}");
    // Two strong definitions that LLVM's linker alone would refuse.
    let strong = |function: &str| record(function, 7).replace("internal unnamed_addr constant", "global");
    let text = linked(&[strong("one"), strong("two")], &[]);
    assert_eq!(text.matches("@box = ").count(), 1, "{text}");
}

#[test]
fn declarations_meet_definitions() {
    let defines =
        "@box = global { i64, i64 } { i64 0, i64 7 }\n".to_owned() + &deferred(&[("box", 0, "type:Int64")]);
    let declares =
        "@box = external global { i64, i64 }\ndefine ptr @where() {\n  ret ptr @box\n}\n".to_owned();
    let agrees = declares.replace("where", "there") + &deferred(&[("box", 0, "type:Int64")]);
    for modules in [
        vec![defines.clone(), declares.clone(), agrees.clone()],
        vec![agrees.clone(), declares.clone(), defines.clone()],
    ] {
        let text = linked(&modules, &[]);
        assert!(text.contains("@box = global { i64, i64 } { i64 0, i64 7 }"), "{text}");
        assert_eq!(text.matches("!{ptr @box, i64 0, i64 64,").count(), 1, "{text}");
    }
    let common = "@env = common global i64 0\ndefine ptr @FUNCTION() {\n  ret ptr @env\n}\n".to_owned()
        + &deferred(&[("env", 0, "env")]);
    let text = linked(&[common.replace("FUNCTION", "f"), common.replace("FUNCTION", "g")], &[]);
    assert_eq!(text.matches("!{ptr @env, ").count(), 1, "{text}");
}

#[test]
fn only_what_is_needed_comes_with_its_sites() {
    let parent = "declare ptr @used()\ndefine ptr @main() {\n  %r = call ptr @used()\n  ret ptr %r\n}\n";
    let child = loads("used", "foo") + &loads("unused", "bar");
    let child = child + &deferred(&[("foo", 0, "sym:foo"), ("bar", 0, "sym:bar")]);
    let text = linked(&[parent.to_owned(), child], &["--only-needed"]);
    assert!(text.contains("@foo = external") && text.contains("!{ptr @foo"), "{text}");
    assert!(!text.contains("bar"), "{text}");
}

#[test]
fn several_hundred_modules_at_once() {
    let modules: Vec<String> = (0..300)
        .map(|at| {
            let (slot, key) = (format!("m{at}_slot"), format!("sym:{}", at % 7));
            loads(&format!("f{at}"), &slot) + &deferred(&[(&slot, 0, &key)])
        })
        .collect();
    let text = linked(&modules, &[]);
    assert_eq!(text.matches("external global ptr").count(), 7, "{text}");
    assert_eq!(text.matches("load ptr, ptr @").count(), 300);
}

/// What is wrong, the modules that say so, and the code of the diagnostic.
fn refusals() -> Vec<(&'static str, String, String)> {
    let one = loads("one", "foo") + &deferred(&[("foo", 0, "sym:foo")]);
    let declared =
        "@box = external global { i64, i64 }\ndefine ptr @where() {\n  ret ptr @box\n}\n".to_owned();
    let record = |payload: u64| {
        format!("@box = weak_odr global {{ i64, i64 }} {{ i64 0, i64 {payload} }}\n")
            + &deferred(&[("box", 0, "type:Int64")])
    };
    vec![
        ("relo::link::conflict", one.clone(), loads("two", "foo") + &deferred(&[("foo", 0, "sym:bar")])),
        ("relo::link::missing", one.clone(), loads("two", "foo")),
        ("relo::link::missing", one.clone(), "@foo = global ptr null\n".into()),
        ("relo::link::conflict", one.clone(), "define void @foo() {\n  ret void\n}\n".into()),
        ("relo::link::contents", record(7), record(8)),
        ("relo::link::undefined", declared + &deferred(&[("box", 8, "type:Int64")]), one.clone()),
        (
            "relo::link::machine",
            "target triple = \"x86_64-unknown-linux-gnu\"\n".to_owned() + &one,
            "target triple = \"nvptx64-nvidia-cuda\"\n".into(),
        ),
        ("relo::link::site", loads("two", "x") + &deferred(&[("x", 8, "sym:foo")]), one.clone()),
        ("relo::link::planned", one.replace("i64 -1", "i64 3"), one.clone()),
        ("relo::codegen::sites", one.replace("i64 64, ", ""), one.clone()),
        (
            "relo::link::llvm",
            "define void @f() {\n  ret void\n}\n".into(),
            "define i8 @f() {\n  ret i8 0\n}\n".into(),
        ),
    ]
}

#[test]
fn disagreements_name_both_inputs() {
    for (code, first, second) in refusals() {
        let folder = folder();
        let (one, two) = (write(folder.path(), "one.ll", &first), write(folder.path(), "two.ll", &second));
        let output = folder.path().join("linked.bc");
        for order in [[&one, &two], [&two, &one]] {
            let result =
                relo(&["--format", "json", "link", arg(order[0]), arg(order[1]), "-o", arg(&output)]);
            let said = String::from_utf8_lossy(&result.stderr).into_owned();
            assert_eq!(result.status.code(), Some(1), "{code}: {said}");
            assert!(said.contains(code), "{code}: {said}");
            assert!(!output.exists(), "{code} leaves a file");
            if ["conflict", "missing", "contents", "machine"].iter().any(|kind| code.ends_with(kind)) {
                assert!(said.contains("one.ll") && said.contains("two.ll"), "{code}: {said}");
            }
        }
    }
}

/// Numbers that look random, and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// The words of a library: what a slot of word `n` holds.
const WORDS: [u64; 6] = [3, 50, 700, 9_000, 110_000, 1_300_000];

/// A program of modules that call each other, and what its `total` gives.
fn program(numbers: &mut Numbers, library: &Path) -> (Vec<String>, u64) {
    let count = 2 + numbers.below(19);
    let mut total = 0;
    let mut modules = Vec::new();
    for at in 0..count {
        let (mut globals, mut body, mut sites) = (String::new(), String::new(), Vec::new());
        let mut result = numbers.below(100) as u64;
        body.push_str(&format!("  %s0 = add i64 {result}, 0\n"));
        let mut step = 0;
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..numbers.below(4) {
            let word = numbers.below(WORDS.len());
            let slot = if numbers.below(2) == 0 { format!("w{word}") } else { format!("m{at}.w{word}") };
            if !seen.insert(slot.clone()) {
                continue;
            }
            globals.push_str(&format!("@{slot} = external global i64\n"));
            body.push_str(&format!(
                "  %v{step} = load i64, ptr @{slot}\n  %s{} = add i64 %s{step}, %v{step}\n",
                step + 1
            ));
            sites.push((slot, word));
            result += WORDS[word];
            step += 1;
        }
        // Records: one that is every module's own, and one that several have.
        for (name, linkage, payload) in
            [("box", "internal", numbers.below(3) as u64), ("shared", "weak_odr", 7)]
        {
            if numbers.below(2) == 0 {
                continue;
            }
            let word = if name == "box" { numbers.below(WORDS.len()) } else { 1 };
            globals.push_str(&format!(
                "@{name} = {linkage} externally_initialized global {{ i64, i64 }} {{ i64 0, i64 {payload} }}\n"
            ));
            body.push_str(&format!(
                "  %r{step} = load i64, ptr @{name}\n  %p{step} = load i64, ptr getelementptr (i8, ptr @{name}, i64 8)\n  \
                 %q{step} = add i64 %r{step}, %p{step}\n  %s{} = add i64 %s{step}, %q{step}\n",
                step + 1
            ));
            sites.push((name.to_owned(), word));
            result += WORDS[word] + payload;
            step += 1;
        }
        if at > 0 {
            let callee = numbers.below(at);
            globals.push_str(&format!("declare i64 @f{callee}(i64)\n"));
            body.push_str(&format!("  %c = call i64 @f{callee}(i64 1)\n  %d = mul i64 %c, 0\n"));
        } else {
            body.push_str("  %d = add i64 0, 0\n");
        }
        body.push_str(&format!("  %e = add i64 %s{step}, %d\n  %z = mul i64 %e, %x\n  ret i64 %z\n"));
        let mut text = format!("{globals}define i64 @f{at}(i64 %x) {{\n{body}}}\n");
        if at + 1 == count {
            let others: Vec<usize> = (0..at).collect();
            for other in &others {
                if !text.contains(&format!("declare i64 @f{other}(i64)")) {
                    text.push_str(&format!("declare i64 @f{other}(i64)\n"));
                }
            }
            text.push_str("define i64 @total(i64 %x) {\n  %t0 = add i64 0, 0\n");
            for other in 0..count {
                text.push_str(&format!(
                    "  %u{other} = call i64 @f{other}(i64 %x)\n  %t{} = add i64 %t{other}, %u{other}\n",
                    other + 1
                ));
            }
            text.push_str(&format!("  ret i64 %t{count}\n}}\n"));
        }
        let entries: Vec<String> = (0..sites.len()).map(|site| format!("!{}", 2 * site)).collect();
        text.push_str(&format!("!reloc.sites = !{{{}}}\n", entries.join(", ")));
        for (site, (symbol, word)) in sites.iter().enumerate() {
            text.push_str(&format!(
                "!{} = !{{ptr @{symbol}, i64 0, i64 64, !{}, !\"defer\", i64 -1}}\n\
                 !{} = !{{!\"word\", !\"words\", !\"{}\", i64 {}}}\n",
                2 * site,
                2 * site + 1,
                2 * site + 1,
                arg(library),
                8 * word
            ));
        }
        total += result;
        modules.push(text);
    }
    (modules, total)
}

/// Links modules in some order, some of them first among themselves.
fn link_somehow(numbers: &mut Numbers, folder: &Path, paths: &[PathBuf], attempt: usize) -> PathBuf {
    let mut paths = paths.to_vec();
    numbers.shuffle(&mut paths);
    let mut groups: Vec<PathBuf> = Vec::new();
    while !paths.is_empty() {
        let group: Vec<PathBuf> = paths.drain(..1 + numbers.below(paths.len())).collect();
        if let [alone] = group.as_slice() {
            groups.push(alone.clone());
            continue;
        }
        let output = folder.join(format!("group.{attempt}.{}.bc", groups.len()));
        let mut arguments = vec!["link", "-o", arg(&output)];
        arguments.extend(group.iter().map(|path| arg(path)));
        relo_ok(&arguments);
        groups.push(output);
    }
    let output = folder.join(format!("linked.{attempt}.bc"));
    let mut arguments = vec!["link", "-o", arg(&output)];
    arguments.extend(groups.iter().map(|path| arg(path)));
    relo_ok(&arguments);
    output
}

/// RELO_FULL=1 tries the full number of programs.
#[test]
fn order_and_grouping_change_neither_relocations_nor_results() {
    let folder = folder();
    let list = WORDS.map(|word| word.to_string()).join(", ");
    let source = write(folder.path(), "words.c", &format!("unsigned long words[] = {{ {list} }};\n"));
    let library = folder.path().join("libwords.so");
    run(Command::new("cc").args(["-shared", "-fPIC", "-o", arg(&library), arg(&source)]));
    let programs = if std::env::var_os("RELO_FULL").is_some() { 200 } else { 6 };
    for seed in 1..=programs {
        let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed));
        let (modules, total) = program(&mut numbers, &library);
        let paths: Vec<PathBuf> = modules
            .iter()
            .enumerate()
            .map(|(at, text)| write(folder.path(), &format!("{seed}.{at}.ll"), text))
            .collect();
        let mut relocations = Vec::new();
        for attempt in 0..2 {
            let linked = link_somehow(&mut numbers, folder.path(), &paths, attempt);
            let artifact = folder.path().join(format!("{attempt}.so"));
            let entry = ["--entry", "total"];
            let mut arguments = vec!["compile", arg(&linked), "-t", "x86_64-linux", "-o", arg(&artifact)];
            arguments.extend(entry);
            relo_ok(&arguments);
            let mut sites = manifest(&artifact)["sites"].as_array().expect("sites").clone();
            for site in &mut sites {
                site.as_object_mut().expect("a site").remove("at");
            }
            relocations.push(sites);
            let mut arguments = vec!["run", arg(&artifact), "--signature", "i64 (i64)"];
            arguments.extend(entry);
            arguments.extend(["--allow", arg(&library), "--", "1"]);
            assert_eq!(relo_ok(&arguments), format!("{total}\n"), "program {seed}, attempt {attempt}");
        }
        assert_eq!(relocations[0], relocations[1], "program {seed}");
    }
}
