//! The shipped packs' own tests, as `relo test` runs them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use relo_codegen::read_packs;
use relo_engine::{Finding, Library, Pack};
use relo_testkit::root;
use relo_trial::{
    Outcome, Run, Sample, Snapshots, Suite, Tally, Update, coverage, coverage_section, difference,
    edits_line, mutants, mutate, run, survivor_line, untested,
};

/// How many mutants each run tries, and which.
const SAMPLE: Sample = Sample::Some { count: 40, seed: 2 };

struct Shipped {
    library: Library,
    suite: Suite,
    snapshots: Snapshots,
    outcomes: Vec<Outcome>,
}

impl Shipped {
    fn options(&self, interpret: bool) -> Run<'_> {
        Run { library: &self.library, snapshots: &self.snapshots, threads: 2, interpret }
    }
}

/// The packs, and what comes of their tests.
static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| {
    let (library, findings) = Library::new(&read_packs(&root().join("rules")).expect("they can be read"));
    assert!(findings.is_empty(), "{findings:?}");
    let suite = Suite::gather(&library, library.packs());
    assert!(suite.findings.is_empty(), "{:?}", suite.findings);
    let snapshots = Snapshots::new(root().join("snapshots"));
    let mut shipped = Shipped { library, suite, snapshots, outcomes: Vec::new() };
    shipped.outcomes = run(&shipped.suite, &shipped.options(false), &|_| ());
    shipped
});

fn page() -> String {
    std::fs::read_to_string(root().join("docs/rule-coverage.md")).expect("the page is there")
}

const COMMAND: &str = "write it anew: relo test --report docs/rule-coverage.md";

#[test]
fn shipped_packs_pass_their_tests() {
    let Shipped { library, suite, snapshots, outcomes } = &*SHIPPED;
    let update = match std::env::var("INSTA_UPDATE").as_deref() {
        Ok("always") => Update::Accept,
        Ok("no") => Update::Never,
        _ => Update::Pending,
    };
    let mut failed = String::new();
    for outcome in outcomes {
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
    assert!(failed.is_empty(), "{}\n{failed}", Tally::of(outcomes));
    assert!(!outcomes.is_empty());
    let orphans = snapshots.orphans(&suite.tests);
    assert!(orphans.is_empty(), "no test is left for {orphans:?}");
    let untested: Vec<Finding> = library.packs().flat_map(untested).collect();
    assert!(untested.is_empty(), "every rule has its tests: {untested:?}");
}

/// Mutants are run so: it has to come to the same.
#[test]
fn the_interpreter_passes_them_too() {
    let outcomes = run(&SHIPPED.suite, &SHIPPED.options(true), &|_| ());
    for (compiled, interpreted) in SHIPPED.outcomes.iter().zip(&outcomes) {
        assert_eq!(interpreted.text, compiled.text, "{}", compiled.test.title());
    }
}

#[test]
fn coverage_is_as_the_page_says() {
    let packs: Vec<&Pack> = SHIPPED.library.packs().collect();
    let covered = coverage(&packs, &SHIPPED.outcomes);
    assert!((covered.rules_covered() - 100.0).abs() < f64::EPSILON, "every rule fires in some test");
    assert!(covered.clauses_covered() >= 95.0, "{} % of clauses", covered.clauses_covered());
    assert!(page().contains(&coverage_section(&covered)), "{COMMAND}");
}

/// A sample of the mutants, or all of them in a full run.
#[test]
fn mutants_fare_as_the_page_says() {
    let packs: Vec<&Pack> = SHIPPED.library.packs().collect();
    let page = page();
    assert!(page.contains(&edits_line(&mutants(&packs))), "{COMMAND}");
    let full = std::env::var_os("RELO_FULL").is_some();
    let sample = if full { Sample::All } else { SAMPLE };
    let mutation = mutate(&SHIPPED.suite, &SHIPPED.options(true), &SHIPPED.outcomes, &packs, sample, &|_| ());
    assert!(mutation.caught > 0);
    let known: BTreeSet<&str> = page.lines().collect();
    let lines: Vec<String> = mutation.survivors.iter().map(survivor_line).collect();
    let new: Vec<&String> = lines.iter().filter(|line| !known.contains(line.as_str())).collect();
    assert!(new.is_empty(), "no test notices {new:#?}: add one to the rule, or {COMMAND}");
    if full {
        assert!(mutation.score() >= 95.0, "{:.1} %", mutation.score());
    }
}
