//! Rules that match the same operation: found where both fire on a module, and only there.

use relo_dialect::Checker;
use relo_engine::{Finding, Library, PackSource, Request, RuleSetError};
use relo_grammar::span::Source;
use relo_testkit::{cases, render, root, snapshots};

/// The overlaps in a file that is a pack of its own, without others.
fn overlaps(checker: &Checker, name: &str, text: &str) -> Vec<Finding> {
    let yaml = "pack: t\ntargets:\n  x:\n    triple: x86_64-unknown-linux-gnu\n    emit: object\n    strategies: []\n";
    let pack = PackSource { yaml: Source::new("t/pack.yaml", yaml), files: vec![Source::new(name, text)] };
    let (library, findings) = Library::new(&[pack]);
    assert!(findings.is_empty(), "{name}: {findings:#?}");
    let request = Request { target: "x".into(), ..Request::default() };
    let findings = match checker.rules(&library, &request) {
        Ok((_, warnings)) => warnings,
        Err(RuleSetError::Findings { findings, .. }) => findings,
        Err(error) => panic!("{}", render(&error)),
    };
    for finding in &findings {
        let known = ["relo::check::overlap", "relo::check::uncovered", "relo::check::dropped_field"];
        assert!(known.contains(&finding.code), "{name}: {}", render(finding));
    }
    let is_overlap = |finding: &Finding| finding.code == "relo::check::overlap";
    findings.into_iter().filter(is_overlap).collect()
}

#[test]
fn overlaps_have_a_witness() {
    let checker = Checker::default();
    for case in cases(&root().join("dialect/tests/cases/overlaps/found"), "relo") {
        let found = overlaps(&checker, &case.name, &case.text);
        let said: String = found.iter().map(|finding| render(finding)).collect();
        assert!(!found.is_empty(), "{}", case.name);
        snapshots("checks", || insta::assert_snapshot!(format!("overlap.{}", case.name), said));
    }
}

#[test]
fn what_does_not_meet_is_no_overlap() {
    let checker = Checker::default();
    for case in cases(&root().join("dialect/tests/cases/overlaps/near"), "relo") {
        let found = overlaps(&checker, &case.name, &case.text);
        let said: String = found.iter().map(|finding| render(finding)).collect();
        assert!(found.is_empty(), "{}: {said}", case.name);
    }
}
