//! `!reloc.sites` survives LLVM's own tools: relo reads back the sites that are alive, and nothing folds a word before it
//! is known.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{arg, folder, llvm, manifest, relo_ok, run};

const MODULE: &str = r#"
target triple = "x86_64-unknown-linux-gnu"
@foo = external global ptr
@bar = external global ptr
@dead = external global ptr
@box = internal externally_initialized global { i64, i64 } { i64 0, i64 7 }
@llvm.compiler.used = appending global [1 x ptr] [ptr @box], section "llvm.metadata"
define i1 @is_null() {
  %1 = load ptr, ptr @foo, !invariant.load !9
  %2 = icmp eq ptr %1, null
  ret i1 %2
}
define i32 @jumps(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %1 = load ptr, ptr @foo
  br label %end
b:
  %2 = load ptr, ptr @bar
  br label %end
end:
  %3 = phi ptr [ %1, %a ], [ %2, %b ]
  %4 = load ptr, ptr @foo
  %5 = icmp eq ptr %3, %4
  br i1 %5, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
define i64 @header() {
  %1 = load i64, ptr @box
  ret i64 %1
}
define internal ptr @unreachable() {
  %1 = load ptr, ptr @dead
  ret ptr %1
}
!reloc.sites = !{!0, !2, !4, !6}
!0 = !{ptr @foo, i64 0, i64 64, !1, !"defer", i64 -1}
!1 = !{!"object", !"julia", !"sym:foo", i64 0}
!2 = !{ptr @bar, i64 0, i64 64, !3, !"defer", i64 -1}
!3 = !{!"object", !"julia", !"sym:bar", i64 0}
!4 = !{ptr @dead, i64 0, i64 64, !5, !"defer", i64 -1}
!5 = !{!"object", !"julia", !"sym:dead", i64 0}
!6 = !{ptr @box, i64 0, i64 64, !7, !"defer", i64 -1}
!7 = !{!"object", !"julia", !"type:Int64", i64 0}
!9 = !{}
"#;

/// How relo keeps a local record whole in other tools.
const KEPT: &str = "@llvm.compiler.used = appending global [1 x ptr] [ptr @box], section \"llvm.metadata\"\n";

/// The keys of the sites that relo reads in a module.
fn live(module: &Path) -> BTreeSet<String> {
    let output = module.with_extension("read.ll");
    relo_ok(&["link", arg(module), "-o", arg(&output)]);
    let text = std::fs::read_to_string(output).expect("written");
    let key = regex::Regex::new(r#"!"object", !"julia", !"([^"]+)""#).expect("it is one");
    key.captures_iter(&text).map(|found| found[1].to_owned()).collect()
}

fn keys(keys: &[&str]) -> BTreeSet<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Runs a tool of LLVM's on the module; what it made.
fn tool(folder: &Path, name: &str, arguments: &[&str]) -> PathBuf {
    let input = folder.join("module.ll");
    std::fs::write(&input, MODULE).expect("written");
    let output = folder.join("made.bc");
    run(Command::new(llvm(name)).arg(arg(&input)).args(arguments).args(["-o", arg(&output)]));
    output
}

#[test]
fn optimisers_drop_what_is_dead_and_nothing_else() {
    let folder = folder();
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let made = tool(folder.path(), "opt", &[level]);
        let expected: &[&str] = match level {
            "-O0" => &["sym:foo", "sym:bar", "sym:dead", "type:Int64"],
            _ => &["sym:foo", "sym:bar", "type:Int64"],
        };
        assert_eq!(live(&made), keys(expected), "{level}");
    }
    for passes in ["globaldce", "internalize,globaldce", "strip-dead-prototypes,globaldce"] {
        let made =
            tool(folder.path(), "opt", &[&format!("-passes={passes}"), "-internalize-public-api-list=jumps"]);
        // A record that is kept whole stays, too.
        assert_eq!(live(&made), keys(&["sym:foo", "sym:bar", "type:Int64"]), "{passes}");
    }
}

#[test]
fn linkers_and_splitters_carry_sites_along() {
    let folder = folder();
    let all = keys(&["sym:foo", "sym:bar", "sym:dead", "type:Int64"]);
    // The linker leaves out the local function that nothing calls.
    let called = keys(&["sym:foo", "sym:bar", "type:Int64"]);
    assert_eq!(live(&tool(folder.path(), "llvm-link", &[])), called);
    assert_eq!(live(&tool(folder.path(), "llvm-as", &[])), all);
    let extracted = tool(folder.path(), "llvm-extract", &["-func=is_null"]);
    assert_eq!(live(&extracted), keys(&["sym:foo"]));
    // Text, bitcode, text: again and again the same.
    let bitcode = tool(folder.path(), "llvm-as", &[]);
    let text = folder.path().join("again.ll");
    run(Command::new(llvm("llvm-dis")).args([arg(&bitcode), "-o", arg(&text)]));
    assert_eq!(live(&text), all);
    let input = folder.path().join("module.ll");
    let parts = folder.path().join("part");
    run(Command::new(llvm("llvm-split")).args([arg(&input), "-j", "2", "-o", arg(&parts)]));
    let joined = folder.path().join("joined.bc");
    let part = |number: u32| folder.path().join(format!("part{number}"));
    relo_ok(&["link", arg(&part(0)), arg(&part(1)), "-o", arg(&joined)]);
    let joined = live(&joined);
    assert!(joined.is_superset(&called), "{joined:?}");
}

#[test]
fn nothing_is_folded_before_and_everything_once_baked() {
    let folder = folder();
    for passes in
        ["globalopt", "ipsccp", "jump-threading", "correlated-propagation", "gvn,instcombine", "default<O3>"]
    {
        let made = tool(folder.path(), "opt", &[&format!("-passes={passes}")]);
        let text = run(Command::new(llvm("llvm-dis")).args([arg(&made), "-o", "-"]));
        for (function, load) in [
            ("@is_null(", "load ptr, ptr @foo"),
            ("@jumps(", "load ptr, ptr @foo"),
            ("@header(", "load i64, ptr @box"),
        ] {
            let (_, body) = text.split_once(function).expect("the function is there");
            let body = body.split("\n}").next().unwrap_or_default();
            assert!(body.contains(load), "{passes} folds {load} in {function}:\n{body}");
        }
    }
    // Local records, which LLVM alone would split, come through relo's own pipeline whole, and go when they are dead.
    let input = folder.path().join("module.ll");
    std::fs::write(&input, MODULE.replace(KEPT, "")).expect("written");
    for level in ["-O0", "-O2"] {
        let output = folder.path().join("patched.so");
        let mut arguments = vec!["compile", arg(&input), "-t", "x86_64-linux", level, "-o", arg(&output)];
        relo_ok(&arguments);
        let sites = manifest(&output)["sites"].as_array().expect("sites").clone();
        assert!(sites.iter().any(|site| site["symbol"] == "box"), "{level}: {sites:?}");
        arguments.extend(["--entry", "jumps"]);
        relo_ok(&arguments);
        let sites = manifest(&output)["sites"].as_array().expect("sites").clone();
        assert!(!sites.iter().any(|site| site["symbol"] == "box"), "{level}: {sites:?}");
    }
    let table = folder.path().join("session.json");
    let entries: Vec<serde_json::Value> = ["sym:foo", "sym:bar", "sym:dead", "type:Int64"]
        .iter()
        .enumerate()
        .map(|(at, key)| {
            let address = format!("{:#x}", 0x7f00_0000_1000_u64 + 16 * at as u64);
            serde_json::json!({ "address": address, "target": { "object": { "runtime": "julia", "key": key } } })
        })
        .collect();
    std::fs::write(&table, serde_json::json!({ "entries": entries }).to_string()).expect("written");
    let output = folder.path().join("baked.ll");
    let mut arguments = vec!["compile", arg(&input), "-t", "x86_64-linux", "--emit", "llvm", "-O2"];
    arguments.extend(["--strategy", "bake", "--session", arg(&table), "-o", arg(&output)]);
    relo_ok(&arguments);
    let text = std::fs::read_to_string(&output).expect("written");
    assert!(text.contains("ret i1 false"), "{text}");
    assert!(!text.contains("load ptr"), "{text}");
}
