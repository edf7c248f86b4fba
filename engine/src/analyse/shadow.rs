//! Rules that never fire, because one that is tried before them takes everything they match.

use super::logic::{exclude, implies};
use super::{Analysed, Laws};
use crate::finding::Finding;

/// Findings for the rules of one phase with one root, the one that is tried first before the others.
pub(super) fn check(rules: &[&Analysed<'_>], laws: &Laws<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, loser) in rules.iter().enumerate() {
        let winner = rules[..index].iter().find(|winner| takes_all(winner, loser, laws));
        if let Some(winner) = winner {
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
fn takes_all(winner: &Analysed<'_>, loser: &Analysed<'_>, laws: &Laws<'_>) -> bool {
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
