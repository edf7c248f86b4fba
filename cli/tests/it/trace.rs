//! `relo trace`: the steps that rules take, and why rules take none.

use std::path::Path;
use std::process::Command;

use relo_testkit::snapshots;

use crate::support::{arg, corpus, folder, relo_ok};

/// A word of the runtime's table, twice; one of the loads is none that the rules take.
const INPUT: &str = "\
llvm.mlir.global external @table() : !llvm.array<8 x ptr>
llvm.func @twice(%other: !llvm.ptr) -> !llvm.ptr {
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %third = llvm.getelementptr %table[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %word = llvm.load %third : !llvm.ptr -> !llvm.ptr
  %again = llvm.load volatile %third : !llvm.ptr -> !llvm.ptr
  llvm.store %word, %again : !llvm.ptr, !llvm.ptr
  llvm.return %word : !llvm.ptr
}
";

/// A pack that lifts words of the runtime's table.
pub const FLAGS: [&str; 6] = ["--target", "x86_64-linux", "--use", "clang", "--set", "clang.words=^table$"];

/// What `relo trace` says of the input, with its exit code; it runs where the input lies.
fn traced(input: &str, flags: &[&str], format: &str) -> String {
    let folder = folder();
    std::fs::write(folder.path().join("in.mlir"), input).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command.current_dir(folder.path()).args(["--format", format, "trace", "in.mlir"]).args(flags);
    let output = command.output().expect("relo runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("an exit code");
    format!("{}{}exit code {code}\n", text(&output.stdout), text(&output.stderr))
}

#[test]
fn each_step_has_its_rule_and_lines() {
    let said = traced(INPUT, &FLAGS, "text");
    snapshots("trace", || insta::assert_snapshot!("steps", said));
    let said = traced(INPUT, &FLAGS, "json");
    for line in said.lines().filter(|line| line.starts_with('{')) {
        let step: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
        let is_plan = step["phase"] == "plan";
        assert!(is_plan || step["rule"].is_string() && step["location"]["symbol"].is_string(), "{line}");
        assert!(step["changes"].as_array().is_some_and(|changes| !changes.is_empty()), "{line}");
    }
    assert!(said.contains("\"line\":5,\"column\":11"), "{said}");
}

#[test]
fn the_steps_before_an_error_are_shown() {
    let folder = folder();
    let pack = folder.path().join("mine");
    std::fs::create_dir(&pack).expect("made");
    std::fs::write(pack.join("pack.yaml"), "pack: mine\nuses: [core]\nactive: request\n").expect("written");
    let rule =
        "pack mine\nphase lower\nrule no {\n    match  { llvm.store %_x, %_y }\n    reject \"not here\"\n}\n";
    std::fs::write(pack.join("no.relo"), rule).expect("written");
    let mut flags = FLAGS.to_vec();
    flags.extend(["--rules", arg(&pack), "--use", "mine"]);
    let said = traced(INPUT, &flags, "text");
    assert!(said.contains("1 lift: clang.word") && said.contains("not here"), "{said}");
    assert!(said.contains("relo::rule::reject") && said.ends_with("exit code 1\n"), "{said}");
    flags.extend(["--at", "@twice"]);
    let said = traced(INPUT, &flags, "text");
    assert!(said.contains("mine.no: rejects it: not here"), "{said}");
}

#[test]
fn rules_at_a_place_say_why_they_do_not_fire() {
    let at = |place: &str, format| {
        let mut flags = FLAGS.to_vec();
        flags.extend(["--at", place]);
        traced(INPUT, &flags, format)
    };
    // Where in a pack a condition stands may change.
    let lines = regex::Regex::new(r"\.relo:\d+").expect("a constant pattern");
    for (name, place) in [("at_a_line", "6"), ("at_a_value", "@twice:%v3")] {
        let said = at(place, "text");
        assert!(lines.is_match(&said), "{said}");
        let said = lines.replace_all(&said, ".relo:LINE").into_owned();
        snapshots("trace", || insta::assert_snapshot!(name, said));
    }
    snapshots("trace", || insta::assert_snapshot!("nowhere", at("in.mlir:77", "text")));
    assert_eq!(at("6", "text"), at("in.mlir:6:12", "text"));
    assert_ne!(at("@twice", "text"), at("6", "text"));
    for place in ["@", "one", "in.mlir:", "0", "in.mlir:0"] {
        let said = at(place, "text");
        assert!(said.contains("is no place") && said.ends_with("exit code 1\n"), "{place}: {said}");
    }
    let said = at("6", "json");
    let missed = said.lines().filter(|line| line.starts_with('{')).flat_map(|line| {
        let asked: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
        asked["rules"].as_array().cloned().expect("rules")
    });
    let missed: Vec<_> = missed.filter(|rule| rule["outcome"] == "missed").collect();
    assert!(!missed.is_empty());
    for rule in missed {
        let condition = &rule["condition"];
        assert!(condition["wanted"].is_string() && condition["found"].is_string(), "{rule}");
    }
}

/// What the steps are called is what `relo compile --trace` says, where MLIR runs the rules.
#[test]
fn steps_are_those_of_compiling() {
    let folder = folder();
    let steps = |input: &Path, flags: &[&str]| {
        let mut arguments = vec!["trace", arg(input), "--target", "x86_64-linux"];
        arguments.extend(flags);
        let said = relo_ok(&arguments);
        let heads = said.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        let heads = heads.filter_map(|line| Some(line.split_once(' ')?.1.to_owned()));
        heads.filter(|line| !line.starts_with("plan")).collect::<Vec<_>>()
    };
    let output = folder.path().join("out.ll");
    let compiled = |input: &Path, flags: &[&str]| {
        let mut arguments = vec!["compile", arg(input), "--target", "x86_64-linux", "--trace"];
        arguments.extend(["--emit", "llvm", "-O0", "-o", arg(&output)]);
        arguments.extend(flags);
        relo_ok(&arguments).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut count = 0;
    for name in ["numba/session-a/calls_two", "julia/image/f03_box_f64.unopt", "julia/image/f14_dict.unopt"] {
        let input = ["ll", "bc"].map(|kind| corpus(&format!("{name}.{kind}")));
        let input = input.into_iter().find(|path| path.exists()).expect("it is in the corpus");
        let table = corpus(&format!("{name}.session.json"));
        let flags = ["--session", arg(&table)];
        let steps = steps(&input, &flags);
        count += steps.len();
        assert_eq!(steps, compiled(&input, &flags), "{name}");
    }
    assert!(count > 30, "only {count} steps");
}
