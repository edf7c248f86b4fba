//! Which tests a change of rules can affect.

use std::collections::{BTreeMap, BTreeSet};

use relo_engine::RuleSet;

use crate::judge::Outcome;
use crate::observe::base;

/// The rules that differ between two rule sets.
#[derive(Debug, Default)]
pub(crate) struct Changed {
    /// By path, a family as one: the operations that they are about.
    rules: BTreeMap<String, BTreeSet<String>>,
    /// Whether rules that are in both come in another order.
    order: bool,
}

impl Changed {
    pub(crate) fn between(before: &RuleSet, after: &RuleSet) -> Self {
        let digests = |set: &RuleSet| -> BTreeSet<(String, String)> {
            set.rules().iter().map(|rule| (rule.path.clone(), rule.digest.clone())).collect()
        };
        let (old, new) = (digests(before), digests(after));
        let mut rules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (set, other) in [(before, &new), (after, &old)] {
            for rule in set.rules() {
                if !other.contains(&(rule.path.clone(), rule.digest.clone())) {
                    let roots = rules.entry(base(&rule.path).to_owned()).or_default();
                    // Rules of a strategy that no site has are there for nothing.
                    let chosen =
                        |strategy: &String| set.choices.iter().any(|choice| choice.strategy == *strategy);
                    if rule.strategy.as_ref().is_none_or(chosen) {
                        roots.insert(rule.root().name.clone());
                    }
                }
            }
        }
        let order = |set: &RuleSet| -> Vec<String> {
            let paths = set.rules().iter().map(|rule| rule.path.clone());
            paths.filter(|path| !rules.contains_key(base(path))).collect()
        };
        Self { order: order(before) != order(after), rules }
    }

    /// Whether the rule sets do the same.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && !self.order
    }

    /// How likely a test tells of it: the less, the likelier; `None` where it can't. `outcome` is what came of the test
    /// with the rules as they were: a rule has no part in it whose operation is never there.
    pub(crate) fn reach(&self, outcome: &Outcome) -> Option<u8> {
        let own = outcome.test.rule.as_ref().is_some_and(|rule| self.rules.contains_key(rule));
        if own {
            return Some(0);
        }
        if outcome.test.alone {
            return None;
        }
        let fired = outcome.observed.rules();
        if self.rules.keys().any(|rule| fired.contains(rule.as_str())) {
            return Some(1);
        }
        let seen = |roots: &BTreeSet<String>| roots.iter().any(|root| outcome.observed.saw(root));
        // What LLVM IR is for rules is not kept.
        let may = outcome.test.is_llvm() || self.order || self.rules.values().any(seen);
        may.then_some(2)
    }
}
