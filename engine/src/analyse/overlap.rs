//! Rules that match the same operation, where no `prefer` says which of them wins.
//!
//! What is found here are candidates: their demands go together as far as is known of them. Whoever can run rules builds
//! the operation, sees whether both fire, and makes a [`Finding`] of those that do.

use super::literal::{Atom, Conjunction, Constant, Literal};
use super::logic::{exclude, impossible};
use super::shadow::takes_all;
use super::{Analysed, Laws};
use crate::finding::Finding;
use crate::normal::Rule;

/// Two rules of a phase that seem to match the same operation.
#[derive(Clone, Debug)]
pub struct Overlap {
    /// The rule that is tried first.
    pub first: Rule,
    /// The other one.
    pub second: Rule,
}

/// A module in which both rules of an [`Overlap`] fire on the same operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The module.
    pub module: String,
    /// What each rule alone makes of it.
    pub outcomes: [String; 2],
}

impl Overlap {
    /// The finding, once there is a witness.
    pub fn finding(&self, witness: &Witness) -> Finding {
        let (first, second) = (&self.first.path, &self.second.path);
        let [makes, other] = witness.outcomes.each_ref().map(|text| indented(text));
        let message =
            format!("`{first}` and `{second}` match the same operation, and nothing says which wins");
        Finding::error("relo::check::overlap", &self.second.source, self.second.span, message)
            .label("this matches …")
            .also(&self.first.source, self.first.span, "… what this matches, too")
            .help(format!(
                "write `prefer {first} over {second} because \"…\"` or the other way round, or let one match less. Both fire \
                 on\n{}\n`{first}`: {makes}\n`{second}`: {other}",
                indented(&witness.module).trim_start_matches('\n'),
            ))
    }
}

/// One line as it is; several below each other.
fn indented(text: &str) -> String {
    let text = text.trim_end();
    if !text.contains('\n') && !text.contains('{') {
        return text.to_owned();
    }
    text.lines().map(|line| format!("\n  {line}")).collect()
}

/// The candidates among rules of one phase with one root, in their order; `pairs` are those that no constant tells apart.
pub(super) fn candidates(rules: &[&Analysed<'_>], pairs: &[(usize, usize)], laws: &Laws<'_>) -> Vec<Overlap> {
    let mut found = Vec::new();
    for (first, second) in pairs {
        let (first, second) = (rules[*first], rules[*second]);
        let is_open = is_unsettled(first.rule, second.rule, laws)
            && may_meet(first, second, laws)
            && !takes_all(first, second, laws);
        if is_open {
            found.push(Overlap { first: first.rule.clone(), second: second.rule.clone() });
        }
    }
    found
}

/// Whether it is somebody's to say which of two rules wins, and nobody has said it. The members of a family are tried in
/// the order of their paths, and so are rules of packs that know nothing of each other.
fn is_unsettled(first: &Rule, second: &Rule, laws: &Laws<'_>) -> bool {
    let sees = |one: &Rule, other: &Rule| {
        laws.visible.get(one.pack.as_str()).is_some_and(|packs| packs.contains(&other.pack.as_str()))
    };
    let strategies = [&first.strategy, &second.strategy];
    first.base_path() != second.base_path()
        && (strategies.iter().any(|strategy| strategy.is_none()) || first.strategy == second.strategy)
        && (sees(first, second) || sees(second, first))
        && !laws.preferences.settle(first.base_path(), second.base_path())
}

/// Whether something may satisfy both; so it is taken where there are too many alternatives to tell.
fn may_meet(first: &Analysed<'_>, second: &Analysed<'_>, laws: &Laws<'_>) -> bool {
    let (Some(one), Some(other)) = (demands(first), demands(second)) else { return true };
    one.iter()
        .any(|one| !impossible(one, laws.facts) && other.iter().any(|other| !exclude(one, other, laws.facts)))
}

/// What a rule demands, the strategy of its block among it.
fn demands(rule: &Analysed<'_>) -> Option<Vec<Conjunction>> {
    let mut demands = rule.demands.clone()?;
    if let Some(strategy) = &rule.rule.strategy {
        let (place, value) = ("root!strategy".to_owned(), Constant::Text(strategy.clone()));
        let chosen = Literal::new(true, Atom::Is { place, value });
        for demand in &mut demands {
            demand.insert(chosen.clone());
        }
    }
    Some(demands)
}
