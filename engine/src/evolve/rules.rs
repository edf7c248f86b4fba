//! Rules that came, went, or mean something else.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Class, pack_of};
use crate::analyse::{Demands, overlap, untaken};
use crate::normal::{Outcome, Rule};
use crate::ruleset::RuleSet;

pub(super) fn compare(old: &RuleSet, new: &RuleSet) -> Vec<Change> {
    let by_path = |set: &'_ RuleSet| -> BTreeMap<String, usize> {
        set.rules().iter().enumerate().map(|(index, rule)| (rule.path.clone(), index)).collect()
    };
    let (olds, news) = (by_path(old), by_path(new));
    let mut changes = Vec::new();
    for (path, index) in &olds {
        let before = &old.rules()[*index];
        match news.get(path) {
            None => changes.push(gone(before, *index, old, new)),
            Some(at) if new.rules()[*at].digest != before.digest => {
                changes.extend(changed((old, *index), (new, *at)));
            }
            Some(_) => {}
        }
    }
    for (path, index) in news.iter().filter(|(path, _)| !olds.contains_key(*path)) {
        let rule = &new.rules()[*index];
        changes.push(match rule.outcome {
            Outcome::Rewrite { .. } => Change::new(pack_of(path), Class::Minor, path, "is a new rule"),
            Outcome::Reject { .. } => Change::new(pack_of(path), Class::Major, path, "is new, and refuses")
                .witness(example(rule, &new.demands[*index])),
        });
    }
    changes.extend(order(&olds, &news, new));
    changes
}

/// What a rule is about, as its root with a case of its demands.
fn example(rule: &Rule, demands: &Demands) -> Option<String> {
    Some(demands.example()?.text(&rule.root().name))
}

fn is_reject(rule: &Rule) -> bool {
    matches!(rule.outcome, Outcome::Reject { .. })
}

/// The demands of the rules that do the same kind of thing to what a rule is about.
fn others(rule: &Rule, set: &RuleSet) -> Vec<Demands> {
    let rules = set.rules().iter().zip(set.demands.iter());
    let same = rules.filter(|(other, _)| {
        other.phase == rule.phase
            && other.root().name == rule.root().name
            && is_reject(other) == is_reject(rule)
            && other.strategy.as_ref().is_none_or(|strategy| Some(strategy) == rule.strategy.as_ref())
    });
    same.map(|(_, demands)| demands.clone()).collect()
}

fn gone(rule: &Rule, index: usize, old: &RuleSet, new: &RuleSet) -> Change {
    let left = untaken(&old.demands[index], &others(rule, new), &new.facts);
    let case = left.and_then(|_| example(rule, &old.demands[index]));
    let case = case.map(|case| format!("{case}: other rules don't take all of it"));
    Change::new(pack_of(&rule.path), Class::Major, &rule.path, "is gone").witness(case)
}

/// A rule that means something else.
fn changed((old, before): (&RuleSet, usize), (new, after): (&RuleSet, usize)) -> Vec<Change> {
    let (old_demands, new_demands) = (&old.demands[before], &new.demands[after]);
    let (before, after) = (&old.rules()[before], &new.rules()[after]);
    let (path, root) = (after.path.as_str(), after.root().name.as_str());
    let change = |class, what: &str| Change::new(pack_of(path), class, path, what);
    let mut changes = Vec::new();
    if before.phase != after.phase {
        let what = format!("runs in `{}`, no longer in `{}`", after.phase, before.phase);
        changes.push(change(Class::Minor, &what));
    }
    match (is_reject(before), is_reject(after)) {
        (false, true) => {
            changes.push(change(Class::Major, "refuses what it rewrote").witness(example(after, new_demands)))
        }
        (true, false) => changes
            .push(change(Class::Minor, "rewrites what it refused").witness(example(after, new_demands))),
        _ => {}
    }
    if before.matching == after.matching {
        if changes.is_empty() {
            let what =
                if is_reject(after) { "says something else" } else { "makes something else of the same" };
            changes.push(change(Class::Repair, what));
        }
        return changes;
    }
    if before.root().name != after.root().name {
        let what = format!("is about `{root}`, no longer about `{}`", before.root().name);
        changes.push(change(Class::Major, &what));
        return changes;
    }
    let (more, less) =
        if is_reject(after) { (Class::Major, Class::Minor) } else { (Class::Minor, Class::Major) };
    if !old_demands.are_known() || !new_demands.are_known() {
        changes.push(change(Class::Major, "holds elsewhere; there are too many cases to tell where"));
        return changes;
    }
    if let Some(case) = untaken(old_demands, std::slice::from_ref(new_demands), &new.facts) {
        let still = untaken(old_demands, &others(after, new), &new.facts);
        let (class, what) = match still {
            None => (Class::Repair, "holds in fewer cases, which other rules take"),
            Some(_) => (less, "holds in fewer cases"),
        };

        changes.push(change(class, what).witness(Some(case.text(root))));
    }
    if let Some(case) = untaken(new_demands, std::slice::from_ref(old_demands), &new.facts) {
        changes.push(change(more, "holds in more cases").witness(Some(case.text(root))));
    }
    if changes.is_empty() {
        changes.push(change(Class::Repair, "is written in another way, or makes something else of the same"));
    }
    changes
}

/// Rules that are tried in another order where more than one may hold. A rule's index is its place in the order.
fn order(olds: &BTreeMap<String, usize>, news: &BTreeMap<String, usize>, new: &RuleSet) -> Vec<Change> {
    let mut changes = Vec::new();
    let common: BTreeSet<&String> = olds.keys().filter(|path| news.contains_key(*path)).collect();
    for first in &common {
        for second in
            common.range::<&String, _>((std::ops::Bound::Excluded(first), std::ops::Bound::Unbounded))
        {
            let (one, other) = (news[*first], news[*second]);
            let (rule, rival) = (&new.rules()[one], &new.rules()[other]);
            let flipped = (olds[*first] < olds[*second]) != (one < other);
            if !flipped || rule.phase != rival.phase || rule.root().name != rival.root().name {
                continue;
            }
            let Some(case) = overlap(&new.demands[one], &new.demands[other], &new.facts) else { continue };
            let (winner, loser) = if one < other { (rule, rival) } else { (rival, rule) };
            // One of them may refuse: then it matters who comes first.
            let class = match (is_reject(winner), is_reject(loser)) {
                (true, false) => Class::Major,
                (false, true) => Class::Minor,
                _ => Class::Repair,
            };
            let what = format!("is tried before {}, no longer after it", loser.path);
            changes.push(
                Change::new(pack_of(&winner.path), class, &winner.path, what)
                    .witness(Some(case.text(&rule.root().name))),
            );
        }
    }
    changes
}
