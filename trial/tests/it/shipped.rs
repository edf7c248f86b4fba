//! The shipped packs' own tests, as `relo test` runs them.

use relo_codegen::read_packs;
use relo_engine::Library;
use relo_testkit::root;
use relo_trial::{Run, Snapshots, Suite, Tally, Update, difference, run, untested};

/// Rules that packs' tests run and no test of their own tells about yet.
const UNTESTED: [&str; 24] = [
    "alignment",
    "bare_record",
    "chosen_word",
    "dead_declaration",
    "dead_global",
    "distinct_objects_are_equal",
    "distinct_objects_differ",
    "dynamic_word",
    "global_address",
    "global_in_data",
    "global_stored",
    "global_word",
    "header",
    "inside",
    "no_alignment",
    "object_is_null",
    "object_is_something",
    "object_is_zero",
    "part_of_a_word",
    "pointer",
    "same_word_differs",
    "same_word_is_equal",
    "used_slot",
    "word",
];

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
    let missing: Vec<String> = library.packs().flat_map(untested).map(|finding| finding.message).collect();
    // Those that `relo test --lint` names: a rule that is not among them has its tests, and a new one needs them.
    let named = |rule: &str| missing.iter().any(|message| message.contains(&format!("`{rule}`")));
    let fewer = UNTESTED.iter().find(|rule| !named(rule));
    assert!(fewer.is_none(), "{fewer:?} is tested now: take it off the list");
    let more: Vec<&String> = missing
        .iter()
        .filter(|message| !UNTESTED.iter().any(|rule| message.contains(&format!("`{rule}`"))))
        .collect();
    assert!(more.is_empty(), "{more:#?}");
}
