//! `relo compile --profile`: what rules and natives are tried and called for.

use std::collections::BTreeMap;

use crate::support::{arg, corpus, folder, relo, relo_ok};

fn compiled(more: &[&str]) -> String {
    let folder = folder();
    let output = folder.path().join("out.ll");
    let input = corpus("numba/session-a/calls_two.ll");
    let table = corpus("numba/session-a/calls_two.session.json");
    let mut arguments = vec!["compile", arg(&input), "--session", arg(&table), "--target", "x86_64-linux"];
    arguments.extend(["--emit", "llvm", "-o", arg(&output)]);
    arguments.extend(more);
    relo_ok(&arguments)
}

#[test]
fn rules_are_counted_as_they_fire() {
    let mut fired: BTreeMap<(String, String), u64> = BTreeMap::new();
    for line in compiled(&["--trace"]).lines() {
        let (phase, rest) = line.split_once(": ").expect("a phase");
        let rule = rest.split(' ').next().expect("a rule");
        *fired.entry((phase.to_owned(), rule.to_owned())).or_default() += 1;
    }
    assert!(fired.len() > 4, "{fired:?}");
    let mut told: BTreeMap<(String, String), u64> = BTreeMap::new();
    let (mut phases, mut calls) = (0, 0);
    for line in compiled(&["--profile", "--format", "json"]).lines() {
        let phase: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
        phases += 1;
        let name = phase["phase"].as_str().expect("a name");
        let whole = phase["microseconds"].as_f64().expect("a time");
        let mut parts = 0.0;
        for rule in phase["rules"].as_array().expect("rules") {
            let number = |key: &str| rule[key].as_u64().expect("a number");
            assert!(number("attempts") >= number("matches"), "{rule}");
            parts += rule["microseconds"].as_f64().expect("a time");
            if number("matches") > 0 {
                let path = rule["rule"].as_str().expect("a path").to_owned();
                told.insert((name.to_owned(), path), number("matches"));
            }
        }
        assert!(parts <= whole, "{parts} of {whole} microseconds");
        for native in phase["natives"].as_array().expect("natives") {
            assert!(native["native"].is_string() && native["microseconds"].is_number(), "{native}");
            calls += native["calls"].as_u64().expect("a number");
        }
    }
    assert_eq!(phases, 4);
    assert_eq!(told, fired);
    assert!(calls > 10, "natives are called {calls} times only");
}

#[test]
fn people_get_tables() {
    let said = compiled(&["--profile"]);
    for word in ["lift: ", "finish: ", "ATTEMPTS", "numba.dynamic_global", "NATIVE", "session"] {
        assert!(said.contains(word), "no `{word}` in\n{said}");
    }
    assert!(!said.contains(" on llvm.load at "), "the trace was not asked for\n{said}");
    let both =
        relo(&["compile", "in.ll", "--target", "x86_64-linux", "-o", "out", "--profile", "--interpret"]);
    assert_eq!(both.status.code(), Some(2));
}
