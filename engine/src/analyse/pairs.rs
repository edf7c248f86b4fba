//! Pairs of rules that may match the same operation: those that want different constants in one place are no pair. Rules
//! are taken apart by such places, so that many which a constant tells apart take no more time than they are many.

use std::collections::{BTreeMap, BTreeSet};

use super::Analysed;
use super::literal::{Atom, Conjunction, Constant};

/// So few rules are compared with each other.
const FEW: usize = 4;

/// The pairs among rules with one root, as indices, the smaller one first.
pub(super) fn pairs(rules: &[&Analysed<'_>]) -> Vec<(usize, usize)> {
    let pins: Vec<Pins<'_>> = rules.iter().map(|rule| pins(rule)).collect();
    let mut found = Vec::new();
    within(&(0..rules.len()).collect::<Vec<_>>(), &pins, &mut found);
    found.sort_unstable();
    found
}

/// The constants that a rule wants wherever it holds, by place and kind: a number and an enumerator's name may mean the
/// same.
type Pins<'a> = BTreeMap<(&'a str, u8), &'a Constant>;

fn pins<'a>(rule: &'a Analysed<'_>) -> Pins<'a> {
    let in_one = |all: &'a Conjunction| -> Pins<'a> {
        let literals = all.iter().filter(|literal| literal.holds && !literal.is_own_choice());
        literals
            .filter_map(|literal| match &literal.atom {
                Atom::Is { place, value } => Some(((place.as_str(), kind(value)), value)),
                _ => None,
            })
            .collect()
    };
    let mut alternatives = rule.demands.iter().flatten().map(in_one);
    let mut pins = alternatives.next().unwrap_or_default();
    for other in alternatives {
        pins.retain(|place, value| other.get(place) == Some(value));
    }
    pins
}

fn kind(value: &Constant) -> u8 {
    match value {
        Constant::Bool(_) => 0,
        Constant::Int(_) => 1,
        Constant::Text(_) => 2,
        Constant::Type(_) => 3,
    }
}

/// Pairs within a group: of the place that most rules pin down, those with the same constant are pairs, and those that do
/// not care are pairs of all.
fn within(group: &[usize], pins: &[Pins<'_>], found: &mut Vec<(usize, usize)>) {
    let mut wanted: BTreeMap<(&str, u8), (usize, BTreeSet<&Constant>)> = BTreeMap::new();
    for index in group.iter().filter(|_| group.len() > FEW) {
        for (place, value) in &pins[*index] {
            let (count, values) = wanted.entry(*place).or_default();
            *count += 1;
            values.insert(value);
        }
    }
    let telling = wanted.into_iter().filter(|(_, (_, values))| values.len() > 1);
    let Some((place, _)) = telling.max_by_key(|(_, (count, values))| (*count, values.len())) else {
        for (at, one) in group.iter().enumerate() {
            across(&[*one], &group[at + 1..], found);
        }
        return;
    };
    let mut alike: BTreeMap<&Constant, Vec<usize>> = BTreeMap::new();
    let mut others = Vec::new();
    for index in group {
        match pins[*index].get(&place) {
            Some(value) => alike.entry(value).or_default().push(*index),
            None => others.push(*index),
        }
    }
    for group in alike.values() {
        within(group, pins, found);
        across(group, &others, found);
    }
    within(&others, pins, found);
}

fn across(one: &[usize], other: &[usize], found: &mut Vec<(usize, usize)>) {
    for one in one {
        found.extend(other.iter().map(|other| (*one.min(other), *one.max(other))));
    }
}
