//! What the rules of a target are like together: one law a file, all over the same [literals](literal).

mod compare;
mod coverage;
mod demands;
mod endless;
mod facts;
mod fields;
mod literal;
mod logic;
mod overlap;
mod pairs;
mod shadow;

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use relo_grammar::span::{Source, Span};

use crate::finding::Finding;
use crate::native::Signature;
use crate::normal::{Phase, Rule};
use crate::pack::TargetSpec;
use crate::precedence::Preferences;
use crate::ruleset::StrategySpec;
use crate::schema::Schema;
pub(crate) use compare::{Demands, overlap, untaken};
pub use coverage::{Answer, Cell, REFERENT_KINDS};
pub(crate) use facts::Facts;
pub use overlap::{Overlap, Witness};

/// What the laws rest on.
pub(crate) struct Laws<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) signatures: &'a IndexMap<&'static str, Signature>,
    pub(crate) schema: &'a dyn Schema,
    /// Whether the rules' order is what their author wants: no preference is wrong.
    pub(crate) ordered: bool,
    pub(crate) preferences: &'a Preferences,
    /// The packs that each pack sees, itself among them.
    pub(crate) visible: BTreeMap<&'a str, Vec<&'a str>>,
    /// The fields of operations that mean something, by operation.
    pub(crate) meaning: BTreeMap<String, Vec<String>>,
    /// The rules, by path without a family's values, whose author says that they come to an end.
    pub(crate) ends: BTreeSet<String>,
    /// Where each strategy is declared.
    pub(crate) strategy_places: BTreeMap<String, (Source, Span)>,
}

/// A rule, and when it holds: `None` where that has too many alternatives to tell.
struct Analysed<'a> {
    rule: &'a Rule,
    demands: Option<Vec<literal::Conjunction>>,
}

/// What there is to say of rules that are right each by itself.
pub(crate) struct Analysis {
    pub(crate) findings: Vec<Finding>,
    /// The cells of the target.
    pub(crate) cells: Vec<Cell>,
    /// Rules that seem to match the same operation, with nothing to say which of them wins.
    pub(crate) overlaps: Vec<Overlap>,
    /// When each rule holds.
    pub(crate) demands: Vec<Demands>,
}

/// Looks at all rules together. They are in their order.
pub(crate) fn analyse(
    rules: &[Rule],
    strategies: &[StrategySpec],
    target: &TargetSpec,
    laws: &Laws<'_>,
) -> Analysis {
    let analysed: Vec<Analysed<'_>> = rules
        .iter()
        .map(|rule| Analysed { rule, demands: demands::demands(rule, laws.signatures) })
        .collect();
    let mut overlaps = Vec::new();
    let mut findings: Vec<Finding> = rules.iter().flat_map(|rule| fields::check(rule, laws)).collect();
    for phase in Phase::ALL {
        let all: Vec<&Analysed<'_>> = analysed.iter().filter(|one| one.rule.phase == phase).collect();
        let mut by_root: BTreeMap<&str, Vec<&Analysed<'_>>> = BTreeMap::new();
        for one in &all {
            by_root.entry(&one.rule.root().name).or_default().push(one);
        }
        if laws.ordered {
            for rules in by_root.values() {
                let pairs = pairs::pairs(rules);
                findings.extend(shadow::check(rules, &pairs, laws));
                overlaps.extend(overlap::candidates(rules, &pairs, laws));
            }
        }
        findings.extend(endless::check(&all, laws));
    }
    let cells = coverage::cells(&analysed, strategies, target, laws);
    findings.extend(coverage::findings(&cells, laws));
    let demands = analysed.into_iter().map(|one| Demands(one.demands)).collect();
    Analysis { findings, cells, overlaps, demands }
}
