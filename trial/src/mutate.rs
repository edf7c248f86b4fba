//! Mutants of rules: each is one small change that some test should notice.
//!
//! A mutant is an edit of the rule's file, so that it goes the way of any other rule: it is parsed, checked and
//! compiled. One that the checker refuses, or that means the same, is none.

use std::collections::BTreeMap;
use std::sync::Mutex;

use relo_engine::{Library, Pack};
use relo_grammar::span::{Source, Span};

use crate::affected::Changed;
use crate::gather::Suite;
use crate::judge::Outcome;
use crate::mutants::of_pack;
use crate::observe::Worker;
use crate::parallel::parallel;
use crate::rulesets::RuleSets;
use crate::run::Run;

/// A change of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The pack.
    pub pack: String,
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

    /// What is replaced, as it stands.
    pub fn old(&self) -> &str {
        &self.source.text[self.span.range()]
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

/// Which mutants are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All.
    All,
    /// So many of them, chosen by a number: the same for the same rules.
    Some {
        /// How many.
        count: usize,
        /// Which.
        seed: u64,
    },
}

/// How far a run over mutants has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many were tried.
    pub done: usize,
    /// How many there are to try.
    pub all: usize,
    /// How many no test has noticed.
    pub survived: usize,
}

/// The edits that are tried on some packs, in the order of their files; some of them are refused by the checker.
pub fn mutants(packs: &[&Pack]) -> Vec<Mutant> {
    packs.iter().flat_map(|pack| of_pack(pack)).collect()
}

/// Tries mutants of the packs' rules. `outcomes` are those of the rules as they are, all fine; a test notices a mutant
/// when anything else is done to its module. `watch` hears of each.
pub fn mutate(
    suite: &Suite,
    options: &Run<'_>,
    outcomes: &[Outcome],
    packs: &[&Pack],
    sample: Sample,
    watch: &(dyn Fn(Progress) + Sync),
) -> Mutation {
    let all = sampled(mutants(packs), sample);
    let sets = RuleSets::new(suite, options.library, None);
    let deeds: Vec<String> = outcomes.iter().map(|outcome| outcome.observed.deeds(&outcome.test)).collect();
    let trial = Trial { suite, library: options.library, outcomes, deeds, sets: &sets };
    let progress = Mutex::new(Progress { all: all.len(), ..Progress::default() });
    let fates = parallel(
        &all,
        options.threads,
        || Worker::new(true),
        |worker, mutant| {
            let fate = trial.fate(mutant, worker);
            let mut progress = progress.lock().expect("no thread panics while it holds it");
            progress.done += 1;
            progress.survived += usize::from(matches!(fate, Fate::Survived));
            watch(*progress);
            fate
        },
    );
    let mut mutation = Mutation::default();
    for pack in packs {
        mutation.packs.insert(pack.name.clone(), (0, 0));
    }
    for (mutant, fate) in all.iter().zip(fates) {
        let (caught, count) = mutation.packs.entry(mutant.pack.clone()).or_default();
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

/// The chosen ones, in their order.
fn sampled(all: Vec<Mutant>, sample: Sample) -> Vec<Mutant> {
    let Sample::Some { count, seed } = sample else { return all };
    let mut drawn: Vec<(u64, Mutant)> =
        all.into_iter().enumerate().map(|(index, mutant)| (mixed(seed, index as u64), mutant)).collect();
    let mut order: Vec<u64> = drawn.iter().map(|(number, _)| *number).collect();
    order.sort_unstable();
    if let Some(limit) = order.get(count) {
        drawn.retain(|(number, _)| number < limit);
    }
    drawn.into_iter().map(|(_, mutant)| mutant).collect()
}

/// SplitMix64: numbers that look drawn by lot, the same everywhere.
fn mixed(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

enum Fate {
    None,
    Caught,
    Survived,
}

struct Trial<'a> {
    suite: &'a Suite,
    library: &'a Library,
    outcomes: &'a [Outcome],
    /// What the rules do as they are, by test.
    deeds: Vec<String>,
    sets: &'a RuleSets,
}

impl Trial<'_> {
    fn fate(&self, mutant: &Mutant, worker: &mut Worker) -> Fate {
        let Some((library, findings)) = self.library.with_file(&mutant.changed()) else { return Fate::None };
        if !findings.is_empty() {
            return Fate::None;
        }
        let sets = RuleSets::new(self.suite, &library, Some(self.sets));
        let mut means_another = false;
        let mut changes = BTreeMap::new();
        // Own tests first: they decide most.
        for wanted in [None, Some(0), Some(1), Some(2)] {
            for (index, outcome) in self.outcomes.iter().enumerate() {
                let test = &outcome.test;
                let own = test.rule.as_deref() == Some(&mutant.rule);
                if own != wanted.is_none() {
                    continue;
                }
                let (Ok(before), Ok(after)) = (self.sets.get(test.setup), sets.get(test.setup)) else {
                    return Fate::None;
                };
                let change = changes
                    .entry(self.suite.requests()[test.setup])
                    .or_insert_with(|| Changed::between(before, after));
                means_another |= !change.is_empty();
                let reach = change.reach(outcome);
                if reach.is_none() || wanted.is_some() && reach != wanted {
                    continue;
                }
                let observed = worker.observe(test, self.suite.setup(test), after);
                if observed.deeds(test) != self.deeds[index] {
                    return Fate::Caught;
                }
            }
        }
        if means_another { Fate::Survived } else { Fate::None }
    }
}
