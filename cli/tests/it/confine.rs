//! One bad reference is confined to its function: the others compile as if it had never been there.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::support::{arg, folder, manifest, relo};

const SESSION: &str = r#"{"entries": [
  {"address": "0x7f0000001000", "target": {"object": {"runtime": "rt", "key": "foo"}}}
], "offsets": [-15720]}"#;

/// A function that rules refuse, one that needs it, one that holds an address nobody knows, and two that are fine. The local
/// table is the refused function's only user beside its caller.
const MODULE: &str = "
target triple = \"x86_64-unknown-linux-gnu\"
@local = internal global ptr @which
@llvm.used = appending global [1 x ptr] [ptr @which], section \"llvm.metadata\"

define i64 @which(i64 %x) {
  switch i64 %x, label %other [
    i64 139637976731648, label %foo
    i64 7, label %other
  ]
foo:
  ret i64 1
other:
  ret i64 0
}

define i64 @caller(i64 %x) {
  %f = load ptr, ptr @local
  %r = call i64 %f(i64 %x)
  ret i64 %r
}

define ptr @unknown() {
  ret ptr inttoptr (i64 139637976743936 to ptr)
}

define ptr @thread(ptr %start) {
  %state = getelementptr i8, ptr %start, i64 -15720
  ret ptr %state
}

define i64 @good(i64 %x) {
  %same = icmp eq i64 %x, 139637976731648
  %bit = zext i1 %same to i64
  ret i64 %bit
}

define i64 @fine(i64 %x) {
  %r = call i64 @good(i64 %x)
  ret i64 %r
}
";

fn compiled(folder: &Path, module: &str, more: &[&str]) -> (Output, PathBuf) {
    let [input, session, output] = ["module.ll", "session.json", "out.so"].map(|name| folder.join(name));
    std::fs::write(&input, module).expect("written");
    std::fs::write(&session, SESSION).expect("written");
    let mut arguments = vec!["compile", arg(&input), "--session", arg(&session), "-t", "x86_64-linux", "-O0"];
    arguments.extend(["-o", arg(&output)]);
    arguments.extend(more);
    (relo(&arguments), output)
}

#[test]
fn what_is_left_out_is_named_and_the_rest_is_portable() {
    let folder = folder();
    let (refused, output) = compiled(folder.path(), MODULE, &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(!output.exists());

    let (kept, output) = compiled(folder.path(), MODULE, &["--on-unliftable", "drop-function"]);
    let said = String::from_utf8_lossy(&kept.stderr).into_owned();
    assert!(kept.status.success(), "{said}");
    for (function, why) in [
        ("@which: ", "a switch on"),
        ("@caller: ", "it needs `local`"),
        ("@unknown: ", "in it is left 0x7f0000004000"),
        ("@thread: ", "in it is left 0xffffffffffffc298"),
    ] {
        let line =
            said.lines().find(|line| line.contains(function)).unwrap_or_else(|| panic!("{function}: {said}"));
        assert!(line.contains(why), "{line}");
    }
    let manifest = manifest(&output);
    assert_eq!(manifest["portable"], true);
    assert_eq!(manifest["entries"], serde_json::json!(["fine", "good"]));
    assert_eq!(manifest["sites"].as_array().map(Vec::len), Some(1));

    // The others are what they would have been alone.
    let start = MODULE.find("define i64 @good").expect("it is there");
    let alone = format!("target triple = \"x86_64-unknown-linux-gnu\"\n{}", &MODULE[start..]);
    let bytes = std::fs::read(&output).expect("written");
    let (_, output) = compiled(folder.path(), &alone, &[]);
    assert_eq!(bytes.len(), std::fs::read(&output).expect("written").len());
}

/// The same in MLIR, where the refused function can't be taken out before it is LLVM IR.
const MLIR: &str = r#"
llvm.func internal @which(%x: i64) -> i64 {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.switch %x : i64, ^other [
    7: ^other,
    139637976731648: ^foo
  ]
^foo:
  llvm.return %one : i64
^other:
  llvm.return %zero : i64
}
llvm.func @caller(%x: i64) -> i64 {
  %r = llvm.call @which(%x) : (i64) -> i64
  llvm.return %r : i64
}
llvm.func @good(%x: i64) -> i1 {
  %c = llvm.mlir.constant(139637976731648 : i64) : i64
  %e = llvm.icmp "eq" %x, %c : i64
  llvm.return %e : i1
}
"#;

#[test]
fn a_function_of_mlir_is_left_out_too() {
    let folder = folder();
    let [input, session, output] =
        ["module.mlir", "session.json", "out.so"].map(|name| folder.path().join(name));
    std::fs::write(&input, MLIR).expect("written");
    std::fs::write(&session, SESSION).expect("written");
    let mut arguments = vec!["compile", arg(&input), "--session", arg(&session), "-t", "x86_64-linux"];
    arguments.extend(["-o", arg(&output)]);
    assert_eq!(relo(&arguments).status.code(), Some(1));

    arguments.extend(["--on-unliftable", "drop-function"]);
    let kept = relo(&arguments);
    let said = String::from_utf8_lossy(&kept.stderr).into_owned();
    assert!(kept.status.success(), "{said}");
    for (function, why) in [("@which: ", "a switch on"), ("@caller: ", "it needs `which`")] {
        assert!(said.lines().any(|line| line.contains(function) && line.contains(why)), "{said}");
    }
    let manifest = manifest(&output);
    assert_eq!(manifest["portable"], true);
    assert_eq!(manifest["entries"], serde_json::json!(["good"]));
}

#[test]
fn what_others_see_and_what_is_asked_for_can_not_be_left_out() {
    let folder = folder();
    let table = MODULE.replace("@local = internal", "@local =");
    for (module, more, what) in [
        (table.as_str(), vec![], "`local` holds the address of `which`"),
        (MODULE, vec!["--entry", "caller"], "`caller` is to be kept, and it needs `local`"),
    ] {
        let more = [vec!["--on-unliftable", "drop-function"], more].concat();
        let (refused, output) = compiled(folder.path(), module, &more);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{said}");
        let words = said.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(words.contains("relo::codegen::confine") && words.contains(what), "{said}");
        assert!(!output.exists());
    }
}
