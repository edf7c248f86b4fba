//! Tests that are run again while their rules are edited: those that an edit can affect.

use std::collections::BTreeMap;

use relo_engine::{Finding, RuleSetError};

use crate::affected::Changed;
use crate::gather::{Suite, Test};
use crate::judge::Outcome;
use crate::rulesets::RuleSets;
use crate::run::{Run, run_some};

/// What the tests of a suite came to, with the rules that they were last run with.
pub struct Rerun {
    suite: Suite,
    sets: RuleSets,
    outcomes: Vec<Outcome>,
}

impl Rerun {
    /// Runs all tests; rules with mistakes make tests fail.
    pub fn new(suite: Suite, options: &Run<'_>) -> Self {
        let sets = RuleSets::new(&suite, options.library, None);
        sets.fill(suite.tests.iter().map(|test| test.setup), options.threads);
        let all: Vec<usize> = (0..suite.tests.len()).collect();
        let ran = run_some(&suite, &sets, &all, options, &|_| ());
        Self { suite, sets, outcomes: ran.into_iter().map(|(_, outcome)| outcome).collect() }
    }

    /// The outcomes of all tests, in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Takes the rules and tests as they are now, and runs again what can come out otherwise, and what was not fine.
    /// Gives the places of these tests among [`Self::outcomes`].
    ///
    /// # Errors
    /// Where rules have mistakes: all of them. What was taken before stays.
    pub fn again(&mut self, suite: Suite, options: &Run<'_>) -> Result<Vec<usize>, Vec<Finding>> {
        if !suite.findings.is_empty() {
            return Err(suite.findings);
        }
        let sets = RuleSets::new(&suite, options.library, Some(&self.sets));
        sets.fill(suite.tests.iter().map(|test| test.setup), options.threads);
        mistakes(&suite, &sets)?;
        let known: BTreeMap<(Option<&str>, &str, &str), &Outcome> =
            self.outcomes.iter().map(|outcome| (name(&outcome.test), outcome)).collect();
        let mut changes: BTreeMap<(usize, usize), Option<Changed>> = BTreeMap::new();
        let mut kept: Vec<Option<Outcome>> = Vec::new();
        for test in &suite.tests {
            let before = known.get(&name(test)).copied().filter(|before| {
                before.verdict.is_fine()
                    && same(&before.test, test)
                    && self.suite.key(before.test.setup) == suite.key(test.setup)
            });
            kept.push(before.and_then(|before| {
                let pair = (self.suite.requests()[before.test.setup], suite.requests()[test.setup]);
                let change = changes.entry(pair).or_insert_with(|| {
                    if sets.same(test.setup, &self.sets, before.test.setup) {
                        return Some(Changed::default());
                    }
                    let (before, after) = (self.sets.get(before.test.setup), sets.get(test.setup));
                    Some(Changed::between(before.ok()?, after.ok()?))
                });
                // Where it stands may have changed.
                let affected = change.as_ref().is_none_or(|change| change.reach(before).is_some());
                (!affected).then(|| Outcome { test: test.clone(), ..before.clone() })
            }));
        }
        let chosen: Vec<usize> = (0..kept.len()).filter(|index| kept[*index].is_none()).collect();
        for (index, outcome) in run_some(&suite, &sets, &chosen, options, &|_| ()) {
            kept[index] = Some(outcome);
        }
        self.outcomes = kept.into_iter().flatten().collect();
        self.suite = suite;
        self.sets = sets;
        Ok(chosen)
    }
}

/// What a test is known by.
fn name(test: &Test) -> (Option<&str>, &str, &str) {
    (test.rule.as_deref(), &test.pack, &test.name)
}

fn same(before: &Test, after: &Test) -> bool {
    before.input.text == after.input.text
        && before.expectation == after.expectation
        && before.alone == after.alone
}

/// The mistakes in the rules that tests need, each once.
fn mistakes(suite: &Suite, sets: &RuleSets) -> Result<(), Vec<Finding>> {
    let mut mistakes: Vec<Finding> = Vec::new();
    for test in &suite.tests {
        if let Err(RuleSetError::Findings { findings, .. }) = sets.get(test.setup) {
            for finding in findings {
                if !mistakes.contains(finding) {
                    mistakes.push(finding.clone());
                }
            }
        }
    }
    if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
}
