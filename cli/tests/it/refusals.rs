//! Bad input: a diagnostic with code, place and help, exit code 1, and no output file.

use relo_testkit::snapshots;

use std::path::Path;
use std::process::Command;

use crate::support::{arg, corpus, folder, relo_ok};

const BAD: &str = "pack: bad\nuses: [core]\nactive: request\n";

const RULES: [(&str, &str, &str); 8] = [
    (
        "endless",
        BAD,
        "pack bad\nphase fold\nrule there {\n    match   { %i = llvm.add %a, %b : $T }\n    rewrite { %i = llvm.sub %a, %b : $T }\n}\nrule back {\n    match   { %i = llvm.sub %a, %b : $T }\n    rewrite { %i = llvm.add %a, %b : $T }\n}\n",
    ),
    (
        "invalid_ir",
        BAD,
        "pack bad\nphase fold\nrule widens {\n    match   { %i = llvm.add %a, %b : i64 }\n    rewrite { %i = llvm.add %a, %b : i32 }\n}\n",
    ),
    (
        "syntax",
        "pack: bad\nuses: [core]\nactive: request\n",
        "pack bad\nphase lift\nrule broken {\n    match { llvm.load %p : $T\n    rewrite { erase }\n}\n\nrule fine {\n    match { %w = llvm.load %p : $T }\n    reject \"no\"\n}\n",
    ),
    (
        "unknown_operation",
        "pack: bad\nuses: [core]\nactive: request\n",
        "pack bad\nphase lift\nrule misspelt {\n    match { %w = llvm.laod %_p }\n    reject \"no {%w}\"\n}\n",
    ),
    (
        "captures",
        "pack: bad\nuses: [core]\nactive: request\n",
        "pack bad\nphase lift\nrule unbound {\n    match   { %w = reloc.load @slot : $T }\n    rewrite { %w = reloc.load @slto : $U }\n}\nrule unused {\n    match   { %w = llvm.load %p { ordering = not_atomick } : $T }\n    where   { is_wrod($T) }\n    reject  \"{%w}\"\n}\n",
    ),
    (
        "parameter_without_value",
        BAD,
        "pack bad\nphase lift\nparam words: string\nrule named {\n    match  { %w = llvm.load %p }\n    where  { @g = base(%p); name(@g) matches ${words} }\n    reject \"{%w} is a word of {@g}\"\n}\n",
    ),
    (
        "overlap",
        BAD,
        "pack bad\nphase fold\nrule one {\n    match   { %i = llvm.add %a, %a : $T }\n    rewrite { %i = llvm.sub %a, %a : $T }\n}\nrule other {\n    match   { %i = llvm.add %a, %b : i64 }\n    rewrite { %i = llvm.mul %a, %b : i64 }\n}\n",
    ),
    (
        "pack",
        "pack: bad\nuses: [croe]\ntargets:\n  mine:\n    triple: x86_64-unknown-linux-gnu\n    emit: object\n    optimise: O7\n    strategies:\n      - { referent: thing, use: pach }\n",
        "pack bad\nphase lift\n",
    ),
];

/// What is refused. The command runs in the folder and names files in it, so that its words are the same everywhere.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    let output = command.current_dir(folder).args(arguments).output().expect("relo runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}\n{text}");
    assert!(!folder.join("out").exists() && !folder.join("out.reloc.json").exists(), "a file is left behind");
    text
}

#[test]
fn bad_input_is_refused_with_a_diagnostic() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &[u8]| {
        std::fs::write(path(name), text).expect("written");
        name.to_owned()
    };
    let bitcode = std::fs::read(corpus("julia/baked/f01_is_foo.opt.bc")).expect("readable");
    let kernel = std::fs::read(corpus("device/tag_kernel.nvptx64.ll")).expect("readable");
    write("kernel.ll", &kernel);
    let session = |text: &str| {
        let text = format!("{{\"entries\": [\n  {text}\n]}}\n");
        write("session.json", text.as_bytes());
    };
    let good = write("good.ll", b"define i64 @f(i64 %a) {\n  %b = add i64 %a, 1\n  ret i64 %b\n}\n");
    let compile = |input: &str, more: &[&str]| {
        let mut arguments = vec!["compile", input, "-o", "out"];
        if !more.contains(&"--target") {
            arguments.extend(["--target", "x86_64-linux"]);
        }
        arguments.extend(more);
        refused(&arguments, folder.path())
    };
    let mut cases: Vec<(&str, String)> = vec![
        ("no_such_file", compile("missing.ll", &[])),
        ("truncated_bitcode", compile(&write("short.bc", &bitcode[..bitcode.len() / 2]), &[])),
        ("invalid_llvm", compile(&write("bad.ll", b"define void @f() {\n  ret i32 0\n}\n"), &[])),
        ("invalid_mlir", compile(&write("bad.mlir", b"llvm.func @f() {\n  %0 = llvm.laod %1\n}\n"), &[])),
        ("unverified_mlir", compile(&write("load.mlir", b"llvm.func @f() -> i64 {\n  %0 = reloc.load @none : i64\n  llvm.return %0 : i64\n}\n"), &[])),
        ("site_outside_global", compile(&write("site.mlir", b"llvm.mlir.global external @g() {reloc.sites = [#reloc.site<8 : 64 -> #reloc.symbol<\"a\">>]} : i64\n"), &[])),
        ("unknown_target", compile(&good, &["--target", "x86_64-linx"])),
        ("unknown_pack", compile(&good, &["--use", "clnag"])),
        ("unknown_parameter", compile(&good, &["--use", "clang", "--set", "clang.wrods=x"])),
        ("unknown_strategy", compile(&good, &["--strategy", "pach"])),
        ("unknown_kind", compile(&good, &["--emit", "objet"])),
        ("unknown_entry", compile(&good, &["--entry", "g"])),
        ("wrong_machine", compile("kernel.ll", &[])),
    ];
    session(
        "{\"address\": \"0x10\", \"target\": {\"symbol\": {\"name\": \"a\"}}},\n  {\"address\": \"0x10\", \"target\": {\"symbol\": {\"name\": \"b\"}}}",
    );
    cases.push(("duplicate_address", compile(&good, &["--session", "session.json"])));
    session("{\"address\": \"16\", \"target\": {\"sybmol\": {\"name\": \"a\"}}}");
    cases.push(("malformed_session", compile(&good, &["--session", "session.json"])));
    for (name, yaml, rules) in RULES {
        let rules_folder = path(name);
        std::fs::create_dir(&rules_folder).expect("made");
        std::fs::write(rules_folder.join("pack.yaml"), yaml).expect("written");
        std::fs::write(rules_folder.join("lift.relo"), rules).expect("written");
        cases.push((name, compile(&good, &["--rules", name, "--use", "bad"])));
    }
    for (name, text) in cases {
        snapshots("refusals", || insta::assert_snapshot!(name, text));
    }
}

#[test]
fn a_loader_refuses_what_it_cannot_trust() {
    let folder = folder();
    let artifact = folder.path().join("words.so");
    let input = corpus("clang/host_runtime.ll");
    let words = ["--use", "clang", "--set", "clang.words=^rt_", "--set", "clang.library=librt.so"];
    let mut arguments = vec!["compile", arg(&input), "--target", "x86_64-linux", "-o", arg(&artifact)];
    arguments.extend(words);
    relo_ok(&arguments);
    let manifest = folder.path().join("words.so.reloc.json");
    let text = std::fs::read_to_string(&manifest).expect("written");
    let run = ["run", "words.so", "--entry", "is_true", "--signature", "i32 (ptr)", "0"];
    let mut cases = vec![("unresolvable", refused(&run, folder.path()))];
    let mut altered = |name: &'static str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        std::fs::write(&manifest, text.replacen(from, to, 1)).expect("written");
        // Hashes change with every version of LLVM.
        let said = refused(&run, folder.path());
        let hash = regex::Regex::new("[0-9a-f]{64}").expect("a pattern");
        cases.push((name, hash.replace_all(&said, "HASH").into_owned()));
    };
    altered("wrong_hash", "\"blake3\": \"", "\"blake3\": \"0");
    let hash = text.split("\"blake3\": \"").nth(1).expect("a hash")[..64].to_owned();
    altered("other_artifact", &hash, &"0".repeat(64));
    altered("other_version", "\"relo\": 1", "\"relo\": 2");
    altered("unknown_key", "\"relo\": 1", "\"relo\": 1, \"extra\": 2");
    altered("site_out_of_order", "\"offset\": 8", "\"offset\": 4096");
    altered("site_outside_symbol", "\"offset\": 16", "\"offset\": 4096");
    altered("site_elsewhere", "\"symbol\": \"rt_table\"", "\"symbol\": \"rt_tabel\"");
    for (name, text) in cases {
        snapshots("refusals", || insta::assert_snapshot!(name, text));
    }
}
