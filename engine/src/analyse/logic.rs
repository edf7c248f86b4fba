//! What follows from literals: which exclude each other, which imply another, and whether alternatives leave a gap.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::literal::{Atom, Conjunction, Constant, Literal, Part};

const MOST_DECISIONS: usize = 12;
const FEW_DECISIONS: usize = 8;

/// Whether two conjunctions can't hold of the same operation. What a rule chooses for itself says nothing of another's.
pub(super) fn exclude(left: &Conjunction, right: &Conjunction, facts: &Facts) -> bool {
    let shared = |literal: &&Literal| !literal.is_own_choice();
    left.iter().filter(shared).any(|one| {
        right.iter().filter(shared).any(|other| opposed(one, other, facts) || opposed(other, one, facts))
    })
}

/// Whether a conjunction contradicts itself.
pub(super) fn impossible(all: &Conjunction, facts: &Facts) -> bool {
    all.iter().any(|one| all.iter().any(|other| opposed(one, other, facts)))
}

/// Whether all of `wanted` follows from `given`.
pub(super) fn implies(given: &Conjunction, wanted: &Conjunction, facts: &Facts) -> bool {
    wanted.iter().all(|literal| given.iter().any(|known| follows(known, literal, facts)))
}

/// Whether one literal can't hold beside another: its opposite follows.
fn opposed(known: &Literal, other: &Literal, facts: &Facts) -> bool {
    follows(known, &Literal { holds: !other.holds, atom: other.atom.clone() }, facts)
}

/// Whether a literal follows from one that holds.
fn follows(known: &Literal, wanted: &Literal, facts: &Facts) -> bool {
    if known == wanted {
        return true;
    }
    match (&known.atom, &wanted.atom) {
        (Atom::Operation { place: a, name: one }, Atom::Operation { place: b, name: other }) => {
            a == b && known.holds && !wanted.holds && one != other
        }
        (Atom::Operands { place: a, count: one }, Atom::Operands { place: b, count: other }) => {
            a == b && known.holds && !wanted.holds && one != other
        }
        (Atom::Operands { place: a, count }, Atom::AtLeast { place: b, count: least }) => {
            a == b && known.holds && wanted.holds == (count >= least)
        }
        (Atom::AtLeast { place: a, count: one }, Atom::AtLeast { place: b, count: other }) => {
            a == b && known.holds && wanted.holds && one >= other
        }
        (Atom::AtLeast { place: a, count: least }, Atom::Operands { place: b, count }) => {
            a == b && known.holds && !wanted.holds && count < least
        }
        (Atom::Is { place: a, value }, other) if known.holds && place_of(other) == Some(a) => {
            match (value, other) {
                (value, Atom::Is { value: other, .. }) => !wanted.holds && differ(value, other),
                (Constant::Int(number), Atom::Below { bound, .. }) => wanted.holds == (number < bound),
                (Constant::Text(text), Atom::Text { how, text: part, .. }) => {
                    wanted.holds == has(text, *how, part)
                }
                (Constant::Text(text), Atom::Matches { pattern, .. }) => {
                    crate::expression::regex(pattern).is_ok_and(|regex| wanted.holds == regex.is_match(text))
                }
                _ => false,
            }
        }
        (Atom::Below { place: a, bound: one }, Atom::Below { place: b, bound: other }) => {
            a == b
                && match (known.holds, wanted.holds) {
                    (true, true) => one <= other,
                    (false, false) => one >= other,
                    _ => false,
                }
        }
        (Atom::Below { place: a, bound }, Atom::Is { place: b, value: Constant::Int(number) }) => {
            a == b && !wanted.holds && known.holds != (number < bound)
        }
        (Atom::Text { place: a, how, text }, Atom::Text { place: b, how: wanted_how, text: part }) => {
            a == b && known.holds && {
                if wanted.holds {
                    (how == wanted_how || *wanted_how == Part::Anywhere) && has(text, *wanted_how, part)
                } else {
                    how == wanted_how
                        && *how != Part::Anywhere
                        && !has(text, *how, part)
                        && !has(part, *how, text)
                }
            }
        }
        (Atom::Text { place: a, how, text }, Atom::Is { place: b, value: Constant::Text(whole) }) => {
            a == b && !wanted.holds && known.holds != has(whole, *how, text)
        }
        (Atom::Matches { place: a, pattern }, Atom::Is { place: b, value: Constant::Text(whole) }) => {
            let matches = || crate::expression::regex(pattern).is_ok_and(|regex| regex.is_match(whole));
            a == b && !wanted.holds && known.holds != matches()
        }
        (Atom::Holds { native: one, arguments }, Atom::Holds { native: other, arguments: others }) => {
            arguments == others
                && match (known.holds, wanted.holds) {
                    (true, true) => facts.implies(one, other),
                    (true, false) => facts.excludes(one, other),
                    (false, false) => facts.implies(other, one),
                    (false, true) => false,
                }
        }
        _ => false,
    }
}

/// The place that an atom about data speaks of.
fn place_of(atom: &Atom) -> Option<&String> {
    match atom {
        Atom::Is { place, .. }
        | Atom::Below { place, .. }
        | Atom::Text { place, .. }
        | Atom::Matches { place, .. } => Some(place),
        _ => None,
    }
}

/// Constants of one kind that are not the same. A number and an enumerator's name may mean the same.
fn differ(one: &Constant, other: &Constant) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other) && one != other
}

fn has(text: &str, how: Part, part: &str) -> bool {
    match how {
        Part::Start => text.starts_with(part),
        Part::End => text.ends_with(part),
        Part::Anywhere => text.contains(part),
    }
}

/// A case that none of the alternatives takes, as the literals that make it; `None` where there is none. `given` holds
/// in every case. Beyond a dozen decisions no gap is looked for.
pub(super) fn gap(given: &Conjunction, alternatives: &[Conjunction], facts: &Facts) -> Option<Conjunction> {
    search(given, alternatives, facts, MOST_DECISIONS)
}

/// The same, whatever is given: a few decisions more are taken.
pub(super) fn gap_behind(
    given: &Conjunction,
    alternatives: &[Conjunction],
    facts: &Facts,
) -> Option<Conjunction> {
    search(given, alternatives, facts, given.len() + FEW_DECISIONS)
}

fn search(
    given: &Conjunction,
    alternatives: &[Conjunction],
    facts: &Facts,
    most: usize,
) -> Option<Conjunction> {
    if impossible(given, facts) || given.len() > most {
        return None;
    }
    let open: Vec<Conjunction> = alternatives
        .iter()
        .filter(|alternative| !exclude(given, alternative, facts))
        .map(|alternative| {
            let left = |literal: &&Literal| !given.iter().any(|known| follows(known, literal, facts));
            alternative.iter().filter(left).cloned().collect()
        })
        .collect();
    // One that demands nothing more takes every case.
    if open.iter().any(BTreeSet::is_empty) {
        return None;
    }
    // Decide one literal both ways: it is settled in either branch, so that this ends.
    let Some(literal) = open.iter().flatten().next() else { return Some(given.clone()) };
    [false, true].into_iter().find_map(|holds| {
        let mut given = given.clone();
        given.insert(Literal { holds: literal.holds == holds, atom: literal.atom.clone() });
        search(&given, &open, facts, most)
    })
}
