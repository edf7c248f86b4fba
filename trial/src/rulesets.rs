//! The rules that tests are run with: each set is checked once, by the first who needs it.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use relo_dialect::Checker;
use relo_engine::{Library, Request, RuleSet, RuleSetError};

use crate::gather::Suite;
use crate::parallel::parallel;

type Checked<T> = OnceLock<Result<T, RuleSetError>>;

/// The rules of each setup. Setups that differ in their session tables share them, and those that differ in the strategy
/// what is checked.
pub(crate) struct RuleSets {
    library: Library,
    /// It outlives the rules: what is known of two of them stays true.
    checker: Arc<Checker>,
    /// For each setup the place of its rules.
    places: Vec<usize>,
    sets: Vec<Set>,
    /// Without a strategy.
    bases: Vec<(Request, Checked<Arc<RuleSet>>)>,
}

struct Set {
    base: usize,
    strategy: Option<String>,
    rules: Checked<RuleSet>,
}

impl RuleSets {
    /// The rules of a suite's setups. Of `before` stays what is of the same texts.
    pub(crate) fn new(suite: &Suite, library: &Library, before: Option<&Self>) -> Self {
        let mut bases: Vec<(Request, Checked<Arc<RuleSet>>)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let mut sets = Vec::new();
        for setup in suite.setups() {
            let base = Request { strategy: None, ..setup.request.clone() };
            let name = format!("{base:?}");
            let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                let checked = OnceLock::new();
                if let Some(known) = before.and_then(|before| before.still(&name, &base, library)) {
                    // Nobody else has it yet.
                    let _ = checked.set(Ok(known));
                }
                bases.push((base, checked));
                names.push(name);
                names.len() - 1
            });
            let strategy = setup.request.strategy.clone();
            sets.push(Set { base: place, strategy, rules: OnceLock::new() });
        }
        let checker = before.map_or_else(Arc::default, |before| before.checker.clone());
        Self { library: library.clone(), checker, places: suite.requests().to_vec(), sets, bases }
    }

    /// The rules that were checked for a request, where all packs that take part are as they were.
    fn still(&self, name: &str, request: &Request, library: &Library) -> Option<Arc<RuleSet>> {
        let (_, checked) = self.bases.iter().find(|(known, _)| format!("{known:?}") == name)?;
        let rules = checked.get()?.as_ref().ok()?;
        let packs = library.taking_part(request);
        let same = packs.len() == rules.packs.len()
            && packs
                .iter()
                .zip(&rules.packs)
                .all(|(pack, (name, digest))| pack.name == *name && pack.digest == *digest);
        same.then(|| rules.clone())
    }

    fn base(&self, place: usize) -> Result<&Arc<RuleSet>, &RuleSetError> {
        let (request, rules) = &self.bases[place];
        let check = || {
            let checked = self.checker.rules(&self.library, request);
            checked.map(|(rules, _)| Arc::new(rules))
        };
        rules.get_or_init(check).as_ref()
    }

    /// Whether a setup has the very rules that another had before.
    pub(crate) fn same(&self, setup: usize, before: &Self, other: usize) -> bool {
        let (set, known) = (&self.sets[self.places[setup]], &before.sets[before.places[other]]);
        let (base, same) = (self.base(set.base), before.base(known.base));
        set.strategy == known.strategy
            && matches!((base, same), (Ok(base), Ok(same)) if Arc::ptr_eq(base, same))
    }

    pub(crate) fn get(&self, setup: usize) -> Result<&RuleSet, &RuleSetError> {
        let set = &self.sets[self.places[setup]];
        let base = self.base(set.base)?;
        let Some(strategy) = &set.strategy else { return Ok(base.as_ref()) };
        set.rules.get_or_init(|| RuleSet::clone(base).with_strategy(strategy)).as_ref()
    }

    /// Checks those of some setups at the same time.
    pub(crate) fn fill(&self, setups: impl Iterator<Item = usize>, threads: usize) {
        let bases: BTreeSet<usize> = setups.map(|setup| self.sets[self.places[setup]].base).collect();
        let bases: Vec<usize> = bases.into_iter().collect();
        parallel(
            &bases,
            threads,
            || (),
            |(), base| {
                // What is wrong with them is asked for later.
                let _ = self.base(*base);
            },
        );
    }
}
