//! Where two rules hold, compared.

use super::facts::Facts;
use super::literal::{Atom, Conjunction, Literal};
use super::logic::{exclude, gap_behind, impossible};

/// When a rule holds, as alternatives; none where there are too many to tell.
#[derive(Clone, Debug)]
pub(crate) struct Demands(pub(super) Option<Vec<Conjunction>>);

/// A case: what holds in it, and what of that is worth telling.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    telling: Conjunction,
}

impl Demands {
    /// Whether they can be told.
    pub(crate) fn are_known(&self) -> bool {
        self.0.is_some()
    }

    /// The first of the alternatives.
    pub(crate) fn example(&self) -> Option<Case> {
        Some(Case { telling: self.0.as_ref()?.first()?.clone() })
    }
}

impl Case {
    /// In words, for rules about operations of a name.
    pub(crate) fn text(&self, root: &str) -> String {
        let is_root = |literal: &&Literal| matches!(&literal.atom, Atom::Operation { place, .. } | Atom::Operands { place, .. } if place == "root");
        let telling = self.telling.iter().filter(|literal| !is_root(literal));
        let words: Vec<String> = telling.map(ToString::to_string).collect();
        if words.is_empty() { format!("`{root}`") } else { format!("`{root}` where {}", words.join(" and ")) }
    }
}

/// A case in which the one holds and none of the others do.
pub(crate) fn untaken(one: &Demands, others: &[Demands], facts: &Facts) -> Option<Case> {
    let taken: Vec<Conjunction> = others.iter().filter_map(|other| other.0.clone()).flatten().collect();
    one.0.iter().flatten().find_map(|given| {
        let case = gap_behind(given, &taken, facts)?;
        let telling: Conjunction = case.difference(given).cloned().collect();
        Some(Case { telling: if telling.is_empty() { given.clone() } else { telling } })
    })
}

/// A case in which both hold; where that can't be told, one in which the first does.
pub(crate) fn overlap(one: &Demands, other: &Demands, facts: &Facts) -> Option<Case> {
    let (Some(ones), Some(others)) = (&one.0, &other.0) else {
        return Some(Case { telling: Conjunction::new() });
    };
    ones.iter().find_map(|one| {
        let both = |other: &&Conjunction| !exclude(one, other, facts) && !impossible(&(one | *other), facts);
        let other = others.iter().find(both)?;
        Some(Case { telling: one.symmetric_difference(other).cloned().collect() })
    })
}
