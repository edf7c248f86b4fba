//! The shipped packs' own tests, as `relo test` runs them.

use relo_codegen::read_packs;
use relo_engine::{Finding, Library};
use relo_testkit::root;
use relo_trial::{Run, Snapshots, Suite, Tally, Update, difference, run, untested};

#[test]
fn shipped_packs_pass_their_tests() {
    let (library, findings) = Library::new(&read_packs(&root().join("rules")).expect("they can be read"));
    assert!(findings.is_empty(), "{findings:?}");
    let suite = Suite::gather(&library, library.packs());
    assert!(suite.findings.is_empty(), "{:?}", suite.findings);
    let snapshots = Snapshots::new(root().join("snapshots"));
    let outcomes = run(&suite, &Run { library: &library, snapshots: &snapshots, threads: 2 }, &|_| ());
    let update = match std::env::var("INSTA_UPDATE").as_deref() {
        Ok("always") => Update::Accept,
        Ok("no") => Update::Never,
        _ => Update::Pending,
    };
    let mut failed = String::new();
    for outcome in &outcomes {
        let written = snapshots.update(outcome, update).expect("it can be written");
        if !outcome.verdict.is_fine() && (update != Update::Accept || written.is_none()) {
            let accepted = snapshots.accepted(&outcome.test).ok().flatten().unwrap_or_default();
            failed += &format!(
                "{}: {}\n{}\n",
                outcome.verdict.name(),
                outcome.test.title(),
                difference(&accepted, &outcome.text)
            );
        }
    }
    assert!(failed.is_empty(), "{}\n{failed}", Tally::of(&outcomes));
    assert!(!outcomes.is_empty());
    let orphans = snapshots.orphans(&suite.tests);
    assert!(orphans.is_empty(), "no test is left for {orphans:?}");
    let untested: Vec<Finding> = library.packs().flat_map(untested).collect();
    assert!(untested.is_empty(), "every rule has its tests: {untested:?}");
}
