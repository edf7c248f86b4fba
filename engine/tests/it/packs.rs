//! Each mistake in a `pack.yaml` that is known, in a file that is named after its code, and a near miss of each.
//!
//! A file holds the packs' YAML, behind each other with `---` between them; the first has rules. Lines `# key: value` say what
//! is asked for: `target`, `pack`, `set` and `strategy`.

use std::collections::BTreeSet;

use miette::Diagnostic;
use relo_engine::{Finding, Library, PackSource, Request, RuleSet, RuleSetError, Setting};
use relo_grammar::span::Source;
use relo_testkit::{Case, cases, render, root, snapshots};

use crate::checks::{all, codes};
use crate::toy::{ToySchema, signatures};

const RULES: &str = "pack t\nparam wide: bool = false\nphase lift\nrule r { match { toy.load %p } reject \"{%p} {${wide}}\" }\n\
                     phase lower\nstrategy s {\n    loader write\n    sites slot\n\
                     rule load { match { toy.load %p } reject \"{%p}\" }\n}\n";

/// What is said of a case: codes and texts.
fn said(case: &Case) -> (BTreeSet<String>, String) {
    let packs: Vec<PackSource> = case
        .text
        .split("---\n")
        .enumerate()
        .map(|(index, yaml)| PackSource {
            yaml: Source::new(format!("{index}/pack.yaml"), yaml),
            files: if index == 0 { vec![Source::new("0/rules.relo", RULES)] } else { Vec::new() },
        })
        .collect();
    let (library, mut findings) = Library::new(&packs);
    let mut request = Request { target: "toy".into(), ..Request::default() };
    let asked = case.text.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(": "));
    for (key, value) in asked {
        match key {
            "target" => request.target = value.into(),
            "pack" => request.packs.push(value.into()),
            "strategy" => request.strategy = Some(value.into()),
            "set" => {
                let (name, value) = value.split_once('=').expect("a name and a value");
                request.settings.insert(name.into(), Setting::Bool(value == "true"));
            }
            _ => panic!("{}: {key}", case.name),
        }
    }
    let known = |findings: &[Finding]| findings.iter().map(|finding| finding.code.to_owned()).collect();
    // What is wrong in a pack by itself is told before anything is asked for.
    if findings.is_empty() {
        match RuleSet::new(&library, &request, &signatures(), &ToySchema) {
            Ok((_, warnings)) => findings.extend(warnings),
            Err(RuleSetError::Findings { findings: found, .. }) => findings.extend(found),
            Err(error) => {
                let code = error.code().map(|code| code.to_string());
                return (code.into_iter().collect(), render(&error));
            }
        }
    }
    (known(&findings), all(&findings))
}

/// A file's code: `value.yaml` and `value.level.yaml` are cases of one.
fn code(case: &Case) -> String {
    format!("relo::pack::{}", case.name.split('.').next().unwrap_or_default())
}

#[test]
fn mistakes_of_packs_are_found_and_near_misses_are_none() {
    let (mut wrong, mut near) = (BTreeSet::new(), BTreeSet::new());
    for case in cases(&root().join("engine/tests/packs/wrong"), "yaml") {
        let (codes, text) = said(&case);
        assert_eq!(codes, BTreeSet::from([code(&case)]), "{}: {text}", case.name);
        assert!(text.contains("help: "), "{}: {text}", case.name);
        wrong.insert(code(&case));
        snapshots("checks/packs", || insta::assert_snapshot!(case.name.clone(), text));
    }
    for case in cases(&root().join("engine/tests/packs/near"), "yaml") {
        let (codes, text) = said(&case);
        assert!(codes.is_empty(), "{}: {text}", case.name);
        near.insert(code(&case));
    }
    assert_eq!(wrong, near, "each mistake has a near miss, named after it");
    let mut promised = BTreeSet::new();
    codes(&root().join("engine/src"), "pack", &mut promised);
    assert_eq!(promised, wrong, "each code has a case");
}
