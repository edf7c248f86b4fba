//! Rules that never fire, because one that is tried before them takes everything they match.

use std::collections::BTreeMap;

use super::logic::{exclude, implies};
use super::{Analysed, Laws};
use crate::finding::Finding;

/// Findings for the rules of one phase with one root, the one that is tried first before the others; `pairs` are those
/// that may match the same operation.
pub(super) fn check(rules: &[&Analysed<'_>], pairs: &[(usize, usize)], laws: &Laws<'_>) -> Vec<Finding> {
    let mut winners: BTreeMap<usize, usize> = BTreeMap::new();
    for (first, second) in pairs {
        let before = winners.get(second).is_some_and(|winner| winner < first);
        if !before && takes_all(rules[*first], rules[*second], laws) {
            winners.insert(*second, *first);
        }
    }
    let mut findings = Vec::new();
    for (loser, winner) in winners {
        let (loser, winner) = (rules[loser], rules[winner]);
        {
            findings.push(
                Finding::error(
                    "relo::check::shadowed",
                    &loser.rule.source,
                    loser.rule.span,
                    format!("rule `{}` never fires", loser.rule.path),
                )
                .label("everything that this matches …")
                .also(
                    &winner.rule.source,
                    winner.rule.span,
                    format!("… `{}` takes, which is tried first", winner.rule.path),
                )
                .help(format!(
                    "let `{}` match less, write `prefer {} over {} because \"…\"`, or remove a rule",
                    winner.rule.path, loser.rule.path, winner.rule.path
                )),
            );
        }
    }
    findings
}

/// Whether whatever one rule matches, the other one does too.
pub(super) fn takes_all(winner: &Analysed<'_>, loser: &Analysed<'_>, laws: &Laws<'_>) -> bool {
    let (Some(wanted), Some(given)) = (&winner.demands, &loser.demands) else { return false };
    // Two rules of one name are a mistake of their own.
    winner.rule.path != loser.rule.path
        && (winner.rule.strategy.is_none() || winner.rule.strategy == loser.rule.strategy)
        && !given.is_empty()
        && given.iter().all(|given| {
            wanted
                .iter()
                .any(|wanted| !exclude(given, wanted, laws.facts) && implies(given, wanted, laws.facts))
        })
}
