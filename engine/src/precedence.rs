//! Which rule is tried first: `prefer` as a partial order, made total without regard to files' order.

use std::collections::{BTreeMap, BTreeSet};

use relo_grammar::tree::Prefer;

use crate::finding::{Finding, suggestion};
use crate::normal::Rule;
use crate::normalise::{Declared, Scope, joined};

/// What `prefer` says: for each rule, by path, those that it wins over.
#[derive(Debug, Default)]
pub(crate) struct Preferences(BTreeMap<String, BTreeSet<String>>);

impl Preferences {
    /// Whether one of two rules wins over the other, be it through others between them.
    pub(crate) fn settle(&self, one: &str, other: &str) -> bool {
        self.wins(one, other) || self.wins(other, one)
    }

    fn wins(&self, winner: &str, loser: &str) -> bool {
        let (mut seen, mut queue) = (BTreeSet::new(), vec![winner]);
        while let Some(path) = queue.pop() {
            for next in self.0.get(path).into_iter().flatten() {
                if next == loser {
                    return true;
                }
                if seen.insert(next) {
                    queue.push(next);
                }
            }
        }
        false
    }
}

/// Sorts the rules: phases in their order, in each the rule that is tried first comes first, winners before losers. Among
/// rules that no `prefer` orders, the path decides.
pub(crate) fn order(
    rules: &mut [Rule],
    paths: &[String],
    scope: &Scope<'_>,
    findings: &mut Vec<Finding>,
) -> Preferences {
    let mut losers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut places: BTreeMap<(String, String), &Declared<Prefer>> = BTreeMap::new();
    for prefer in &scope.prefers {
        let resolve = |path: &relo_grammar::tree::Path, findings: &mut Vec<Finding>| {
            let text = joined(path);
            let own = format!("{}.{text}", prefer.pack);
            let found = paths.iter().find(|path| **path == text || **path == own).cloned();
            if found.is_none() && !scope.is_unread(&text) {
                findings.push(
                    Finding::error(
                        "relo::check::unknown_rule",
                        prefer.source,
                        path.span,
                        format!("there is no rule `{text}`"),
                    )
                    .help(suggestion(&text, paths.iter().map(String::as_str))),
                );
            }
            found
        };
        let winner = resolve(&prefer.item.winner, findings);
        let loser = resolve(&prefer.item.loser, findings);
        if let (Some(winner), Some(loser)) = (winner, loser) {
            losers.entry(winner.clone()).or_default().insert(loser.clone());
            places.insert((winner, loser), prefer);
        }
    }
    let order = sorted(paths, &losers, &places, findings);
    let position: BTreeMap<&str, usize> =
        order.iter().enumerate().map(|(index, path)| (path.as_str(), index)).collect();
    rules.sort_by_key(|rule| {
        let place = position.get(rule.base_path()).copied().unwrap_or(usize::MAX);
        (rule.phase, place, rule.path.clone())
    });
    Preferences(losers)
}

/// Winners before losers; among those free to come next, the first by path. A cycle is an error.
fn sorted(
    paths: &[String],
    losers: &BTreeMap<String, BTreeSet<String>>,
    places: &BTreeMap<(String, String), &Declared<Prefer>>,
    findings: &mut Vec<Finding>,
) -> Vec<String> {
    let mut waiting: BTreeMap<&str, usize> = paths.iter().map(|path| (path.as_str(), 0)).collect();
    for loser in losers.values().flatten() {
        if let Some(count) = waiting.get_mut(loser.as_str()) {
            *count += 1;
        }
    }
    let mut free: BTreeSet<String> =
        waiting.iter().filter(|(_, count)| **count == 0).map(|(path, _)| (*path).to_owned()).collect();
    let mut order = Vec::new();
    while let Some(path) = free.pop_first() {
        for loser in losers.get(&path).into_iter().flatten() {
            if let Some(count) = waiting.get_mut(loser.as_str()) {
                *count -= 1;
                if *count == 0 {
                    free.insert(loser.clone());
                }
            }
        }
        waiting.remove(path.as_str());
        order.push(path);
    }
    let stuck: BTreeSet<&str> = waiting.keys().copied().collect();
    let cycle = places
        .iter()
        .filter(|((winner, loser), _)| stuck.contains(winner.as_str()) && stuck.contains(loser.as_str()));
    let mut finding: Option<Finding> = None;
    for ((winner, loser), place) in cycle {
        let text = format!("`{winner}` over `{loser}`");
        finding = Some(match finding {
            None => Finding::error(
                "relo::check::prefer_cycle",
                place.source,
                place.item.span,
                "these rules are preferred over each other in a circle",
            )
            .label(text)
            .help("drop the preference that is not meant"),
            Some(finding) => finding.also(place.source, place.item.span, text),
        });
    }
    findings.extend(finding);
    order.extend(waiting.into_keys().map(ToOwned::to_owned));
    order
}
