//! Tests in parallel: a worker a thread, each with an MLIR context of its own.

use std::time::Instant;

use relo_engine::{Library, RuleSetError};

use crate::gather::{Suite, Test};
use crate::judge::{Outcome, Verdict, judge};
use crate::observe::{Observed, Refusal, Worker};
use crate::parallel::parallel;
use crate::rulesets::RuleSets;
use crate::snapshot::Snapshots;

/// What to run the tests with.
pub struct Run<'a> {
    /// The rules.
    pub library: &'a Library,
    /// What was accepted.
    pub snapshots: &'a Snapshots,
    /// How many threads.
    pub threads: usize,
    /// By the reference interpreter instead of PDL: the same comes out.
    pub interpret: bool,
}

/// Runs tests; the outcomes are in the tests' order. `watch` hears of each as it ends, from any thread.
pub fn run(suite: &Suite, options: &Run<'_>, watch: &(dyn Fn(&Outcome) + Sync)) -> Vec<Outcome> {
    let sets = RuleSets::new(suite, options.library, None);
    let all: Vec<usize> = (0..suite.tests.len()).collect();
    run_some(suite, &sets, &all, options, watch).into_iter().map(|(_, outcome)| outcome).collect()
}

/// Runs some of the tests; the outcomes are in the tests' order, with their places.
pub(crate) fn run_some(
    suite: &Suite,
    sets: &RuleSets,
    chosen: &[usize],
    options: &Run<'_>,
    watch: &(dyn Fn(&Outcome) + Sync),
) -> Vec<(usize, Outcome)> {
    // Tests of one setup lie together: each thread compiles few sets of patterns.
    let mut order = chosen.to_vec();
    order.sort_by_key(|index| suite.tests[*index].setup);
    let start = || Worker::new(options.interpret);
    let mut done = parallel(&order, options.threads, start, |worker, index| {
        let outcome = one(suite, &suite.tests[*index], sets, options, worker);
        watch(&outcome);
        (*index, outcome)
    });
    done.sort_by_key(|(index, _)| *index);
    done
}

fn one(suite: &Suite, test: &Test, sets: &RuleSets, options: &Run<'_>, worker: &mut Worker) -> Outcome {
    let start = Instant::now();
    let observed = match sets.get(test.setup) {
        Ok(rules) => worker.observe(test, suite.setup(test), rules),
        Err(error) => Observed { refusal: Some(Refusal::Failed(told(error))), ..Observed::default() },
    };
    let text = observed.text(test);
    let accepted = options.snapshots.accepted(test);
    let verdict = match accepted {
        Ok(accepted) => judge(test, &observed, &text, accepted.as_deref()),
        Err(error) => Verdict::Broken { reason: error.to_string() },
    };
    Outcome { test: test.clone(), verdict, observed, text, time: start.elapsed() }
}

fn told(error: &RuleSetError) -> String {
    match error {
        RuleSetError::Findings { findings, .. } => {
            let lines = findings.iter().map(|finding| format!("{}: {finding}", finding.source.name));
            format!("{error}\n{}", lines.collect::<Vec<_>>().join("\n"))
        }
        error => error.to_string(),
    }
}
