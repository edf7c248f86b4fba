//! Each mistake that the checker knows, in a file that is named after its code.

use std::collections::BTreeSet;
use std::path::Path;

use relo_engine::{Finding, Library, PackSource, RuleSetError};
use relo_grammar::span::Source;
use relo_testkit::{Case, cases, render, root, snapshots};

use crate::toy::rules;

#[test]
fn every_mistake_is_found_at_its_place() {
    let (mut covered, mut wrong) = (BTreeSet::new(), Vec::new());
    for case in cases(&root().join("engine/tests/checks"), "relo") {
        let findings = match rules(&case.name, &case.text) {
            Err(RuleSetError::Findings { findings, .. }) => findings,
            Err(error) => panic!("{}: {error}", case.name),
            Ok(_) => Vec::new(),
        };
        // `kind.relo` and `kind.attribute.relo` are cases of one code.
        let code = format!("relo::check::{}", case.name.split('.').next().unwrap_or_default());
        for finding in findings.iter().filter(|finding| finding.help.is_none()) {
            wrong.push(format!("{code}: `{finding}` has no help"));
        }
        if !findings.iter().any(|finding| finding.code == code) {
            let found: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
            wrong.push(format!("{code}: found {found:?}"));
        }
        covered.insert(code);
        snapshots("checks", || insta::assert_snapshot!(case.name.clone(), all(&findings)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A check without a case would be a promise that nobody keeps.
    let mut promised = BTreeSet::new();
    codes(&root().join("engine/src"), "check", &mut promised);
    // The error that holds the findings is none of them, and an overlap is only found by running rules: the MLIR edge has
    // its cases.
    promised.remove("relo::check::rules");
    promised.remove("relo::check::overlap");
    let missing: Vec<&String> = promised.difference(&covered).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

/// What looks like a mistake and is none, in files that are named after the mistake's code.
#[test]
fn what_is_no_mistake_is_not_found() {
    let (mut wrong, mut near) = (Vec::new(), BTreeSet::new());
    for case in cases(&root().join("engine/tests/near"), "relo") {
        if let Err(RuleSetError::Findings { findings, .. }) = rules(&case.name, &case.text) {
            wrong.push(format!("{}:\n{}", case.name, all(&findings)));
        }
        near.insert(case.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let code = |case: Case| case.name.split('.').next().unwrap_or_default().to_owned();
    let found: BTreeSet<String> =
        cases(&root().join("engine/tests/checks"), "relo").into_iter().map(code).collect();
    assert_eq!(near, found, "each mistake has a near miss, named after it");
}

pub fn all(findings: &[Finding]) -> String {
    findings.iter().map(|finding| render(finding)).collect::<Vec<_>>().join("\n")
}

/// The codes of a family, `relo::FAMILY::…`, that a folder's sources name.
pub fn codes(folder: &Path, family: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a source folder").flatten() {
        if entry.path().is_dir() {
            codes(&entry.path(), family, found);
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("readable");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for rest in text.split(&format!("\"relo::{family}::")).skip(1) {
            let code = rest.split('"').next().unwrap_or_default();
            found.insert(format!("relo::{family}::{code}"));
        }
    }
}

#[test]
fn a_mistake_in_one_rule_hides_none_in_another() {
    let text = "pack t\nphase lift\nrule a { match { toy.laod %p } reject \"{%p}\" }\n\
                rule b { match { toy.load %p } where { is_evn(%p) } reject \"no\" }\n\
                rule c {\n    match { toy.load %p\n}\nrule d { match { toy.gobal } reject \"no\" }\n";
    let Err(RuleSetError::Findings { findings, .. }) = rules("four.relo", text) else {
        panic!("mistakes are found");
    };
    // What does not parse is told first; the rest is checked once it does.
    assert!(findings.iter().any(|finding| finding.code.starts_with("relo::syntax::")), "{findings:#?}");
    let text = text.replace("rule c {\n    match { toy.load %p\n}\n", "");
    let Err(RuleSetError::Findings { findings, .. }) = rules("three.relo", &text) else {
        panic!("mistakes are found");
    };
    assert_eq!(findings.len(), 3, "{findings:#?}");
}

/// What was not read can't be found: the only mistake is why it was not read.
#[test]
fn what_could_not_be_read_is_not_missed() {
    let text = "pack t\nphase lift\n\
                fragment loads(%w, %p) { match { %w = toy.load %p %p } }\n\
                fragment made(%w, %p) { rewrite { %w = toy.load %p %p } }\n\
                fragmnt misspelt(%w, %p) { match { %w = toy.load %p } }\n\
                param wide bool\n\
                rule a { match { toy.load %p %p } reject \"no\" }\n\
                rule b { match { %p = toy.load %q; loads(%w, %p) } where { ${wide} } reject \"{%w} {%q}\" }\n\
                rule c { match { %v = toy.load %q; %w = toy.load %v } rewrite { %w = made(%q) } }\n\
                rule d { match { misspelt(%w, %p) } reject \"{%w} {%p}\" }\n\
                strategy s { loader write; sites slot; rule in { match { toy.slot } reject 1 } }\n\
                prefer a over b because \"so\"\noverride t.a because \"so\" { match { toy.load %_p } reject \"no\" }\n";
    let yaml = "pack: t\nends:\n  t.a: so\ntargets:\n  toy:\n    triple: toy\n    emit: object\n    strategies:\n      - { use: s }\n";
    let pack =
        PackSource { yaml: Source::new("t/pack.yaml", yaml), files: vec![Source::new("t.relo", text)] };
    let (library, syntax) = Library::new(&[pack]);
    assert_eq!(syntax.len(), 6, "{syntax:#?}");
    assert!(syntax.iter().all(|finding| finding.code.starts_with("relo::syntax::")), "{syntax:#?}");
    let request = relo_engine::Request { target: "toy".into(), ..Default::default() };
    let (signatures, schema) = (crate::toy::signatures(), crate::toy::ToySchema);
    let drafted = relo_engine::RuleSet::draft(&library, &request, &signatures, &schema);
    let (_, findings) = drafted.expect("the target is there");
    assert!(findings.is_empty(), "{}", all(&findings));
}

/// What a rule with a mistake would answer is not known: the mistake alone is told.
#[test]
fn a_mistake_leaves_no_gap() {
    let text = "pack t\nphase lower\nstrategy s {\n    loader write\n    sites slot\n    rule in { match { toy.load %p } where { is_evn(%p) } reject \"{%p}\" }\n}\n";
    let Err(RuleSetError::Findings { findings, .. }) = rules("gap.relo", text) else { panic!("it is found") };
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["relo::check::unknown_native"]);
    let text = text.replace("where { is_evn(%p) }", "where { is_even(%p) }");
    let Err(RuleSetError::Findings { findings, .. }) = rules("gap.relo", &text) else {
        panic!("it is found")
    };
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["relo::check::uncovered"]);
}

#[test]
fn packs_are_checked_in_their_yaml() {
    let pack = |name: &str, yaml: &str| PackSource {
        yaml: Source::new(format!("{name}/pack.yaml"), yaml),
        files: Vec::new(),
    };
    let target = "\n    triple: t\n    emit: object\n    strategies: []\n";
    let packs = [
        pack("a", &format!("pack: a\nuses: [b]\ntargets:\n  one:{target}  two:\n    emit: object\n")),
        pack("b", &format!("pack: b\nuses: [a, c]\ntargets:\n  one:{target}")),
        pack("d", "pack: d\nuse: [a]\n"),
        pack(
            "e",
            "pack: e\ntargets:\n  three:\n    triple: t\n    emit: object\n    names: \"a(\"\n    strategies:\n      - { referent: word, library: \"(\", use: x }\n      - { refrent: word, use: x }\n",
        ),
    ];
    let (_, findings) = Library::new(&packs);
    snapshots("checks", || insta::assert_snapshot!("packs", all(&findings)));
}

#[test]
fn order_of_files_and_rules_changes_nothing() {
    let first = "pack t\nphase lift\nrule b { match { toy.load %p { volatile } } reject \"b {%p}\" }\n";
    let second = "pack t\nphase lift\nrule a { match { toy.load %p } reject \"a {%p}\" }\nprefer b over a because \"so\"\n";
    let yaml = "pack: t\ntargets:\n  toy:\n    triple: toy\n    emit: object\n    strategies: []\n";
    let ordered = |files: [(&str, &str); 2]| {
        let files = files.into_iter().map(|(name, text)| Source::new(name, text)).collect();
        let pack = PackSource { yaml: Source::new("t/pack.yaml", yaml), files };
        let (library, _) = Library::new(&[pack]);
        let request = relo_engine::Request { target: "toy".into(), ..Default::default() };
        let (rules, _) =
            relo_engine::RuleSet::new(&library, &request, &crate::toy::signatures(), &crate::toy::ToySchema)
                .expect("it is right");
        rules.rules().iter().map(|rule| rule.path.clone()).collect::<Vec<_>>()
    };
    let one = ordered([("1.relo", first), ("2.relo", second)]);
    assert_eq!(one, ordered([("1.relo", second), ("2.relo", first)]));
    assert_eq!(one, ["t.b", "t.a"], "what is preferred is tried first");
}
