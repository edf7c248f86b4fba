//! Mutants of rules: each is one small change that some test should notice.
//!
//! A mutant is an edit of the rule's file, so that it goes the way of any other rule: it is parsed, checked and
//! compiled. One that the checker refuses, or that means the same, is none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use relo_engine::{Library, Pack, PackSource, RuleSet};
use relo_grammar::span::{Source, Span};

use crate::gather::{Suite, Test};
use crate::judge::Outcome;
use crate::mutants::mutants;
use crate::observe::{Worker, base};
use crate::run::{RuleSets, Run, one};

/// A change of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The rule, or the fragment.
    pub rule: String,
    /// What was done, in words.
    pub what: String,
    /// The file.
    pub source: Source,
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub replacement: String,
}

impl Mutant {
    /// The line that is changed.
    pub fn line(&self) -> usize {
        1 + self.source.text[..self.span.start].matches('\n').count()
    }

    /// The file with the change.
    fn changed(&self) -> Source {
        let text = &self.source.text;
        let text = format!("{}{}{}", &text[..self.span.start], self.replacement, &text[self.span.end..]);
        Source::new(self.source.name.clone(), text)
    }
}

/// What became of mutants.
#[derive(Clone, Debug, Default)]
pub struct Mutation {
    /// How many a test noticed.
    pub caught: usize,
    /// Those that none did.
    pub survivors: Vec<Mutant>,
    /// How many the checker refused, or mean the same.
    pub none: usize,
    /// By pack: caught, and all that are mutants.
    pub packs: BTreeMap<String, (usize, usize)>,
}

impl Mutation {
    /// The share that tests noticed, in per cent.
    pub fn score(&self) -> f64 {
        percent(self.caught, self.caught + self.survivors.len())
    }
}

/// A share in per cent; all of nothing is everything.
pub(crate) fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 }
}

/// Tries mutants of the packs' rules: every `step`th. `outcomes` are those of the rules as they are. `watch` hears how
/// many there are, and of each one.
pub fn mutate(
    suite: &Suite,
    options: &Run<'_>,
    outcomes: &[Outcome],
    packs: &[&Pack],
    step: usize,
    watch: &(dyn Fn(usize) + Sync),
) -> Mutation {
    let all: Vec<(String, Mutant)> = packs
        .iter()
        .flat_map(|pack| mutants(pack).into_iter().map(|mutant| (pack.name.clone(), mutant)))
        .step_by(step.max(1))
        .collect();
    let sources: Vec<PackSource> = options
        .library
        .packs()
        .map(|pack| PackSource {
            yaml: pack.yaml.clone(),
            files: pack.files.iter().map(|(source, _)| source.clone()).collect(),
        })
        .collect();
    let sets = RuleSets::new(suite, options.library);
    let trial = Trial { suite, options, outcomes, sources: &sources, sets: &sets };
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                let mut worker = Worker::default();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some((pack, mutant)) = all.get(index) else { break };
                    let fate = trial.fate(mutant, &mut worker);
                    watch(all.len());
                    let result = (index, pack, mutant, fate);
                    results.lock().expect("no thread panics while it holds it").push(result);
                }
            });
        }
    });
    let mut results = results.into_inner().expect("all threads have ended");
    results.sort_by_key(|(index, ..)| *index);
    let mut mutation = Mutation::default();
    for (_, pack, mutant, fate) in results {
        let (caught, count) = mutation.packs.entry(pack.clone()).or_default();
        match fate {
            Fate::None => mutation.none += 1,
            Fate::Caught => {
                mutation.caught += 1;
                *caught += 1;
                *count += 1;
            }
            Fate::Survived => {
                mutation.survivors.push(mutant.clone());
                *count += 1;
            }
        }
    }
    mutation
}

enum Fate {
    None,
    Caught,
    Survived,
}

struct Trial<'a> {
    suite: &'a Suite,
    options: &'a Run<'a>,
    outcomes: &'a [Outcome],
    sources: &'a [PackSource],
    sets: &'a RuleSets<'a>,
}

impl Trial<'_> {
    fn fate(&self, mutant: &Mutant, worker: &mut Worker) -> Fate {
        let mut sources = self.sources.to_vec();
        for file in sources.iter_mut().flat_map(|pack| &mut pack.files) {
            if file.name == mutant.source.name {
                *file = mutant.changed();
            }
        }
        let (library, findings) = Library::new(&sources);
        if !findings.is_empty() {
            return Fate::None;
        }
        let sets = RuleSets::new(self.suite, &library);
        let options = Run { library: &library, ..*self.options };
        let mut changed_somewhere = false;
        let mark = worker.mark();
        let mut fate = Fate::Survived;
        for test in self.ordered(&mutant.rule) {
            let (Ok(before), Ok(after)) = (self.sets.get(test.setup), sets.get(test.setup)) else {
                fate = Fate::None;
                break;
            };
            let changed = changed(before, after);
            changed_somewhere |= !changed.is_empty();
            if !reaches(test, &changed) {
                continue;
            }
            if !one(self.suite, test, &sets, &options, worker).verdict.is_fine() {
                fate = Fate::Caught;
                break;
            }
        }
        worker.forget(mark);
        if changed_somewhere || matches!(fate, Fate::Caught) { fate } else { Fate::None }
    }

    /// The tests that may notice a change of a rule: its own first, then those in which it fired, then the others.
    fn ordered(&self, rule: &str) -> Vec<&Test> {
        let mut tests: Vec<(usize, &Test)> = self
            .outcomes
            .iter()
            .map(|outcome| {
                let own = outcome.test.rule.as_deref() == Some(rule);
                let fired = outcome.observed.rules().contains(rule);
                (if own { 0 } else { 2 - usize::from(fired) }, &outcome.test)
            })
            .collect();
        tests.sort_by_key(|(order, test)| (*order, test.setup));
        tests.into_iter().map(|(_, test)| test).collect()
    }
}

/// The rules that two rule sets don't share.
pub(crate) fn changed<'a>(before: &'a RuleSet, after: &'a RuleSet) -> BTreeSet<&'a str> {
    let digests = |set: &'a RuleSet| -> BTreeSet<(&'a str, &'a str)> {
        set.rules().iter().map(|rule| (base(&rule.path), rule.digest.as_str())).collect()
    };
    digests(before).symmetric_difference(&digests(after)).map(|(path, _)| *path).collect()
}

/// Whether a test's outcome can depend on rules.
pub(crate) fn reaches(test: &Test, rules: &BTreeSet<&str>) -> bool {
    match (&test.rule, test.alone) {
        (Some(rule), true) => rules.contains(rule.as_str()),
        _ => !rules.is_empty(),
    }
}
