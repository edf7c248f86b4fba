//! What is declared to hold of natives: which exclude each other, which imply another.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use relo_grammar::tree::Fact;

use crate::finding::{Finding, suggestion};
use crate::native::Signature;
use crate::normalise::Declared;

/// The facts that natives' signatures and packs' files declare, with what follows from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    implied: BTreeMap<String, BTreeSet<String>>,
    disjoint: BTreeSet<(String, String)>,
}

impl Facts {
    /// Gathers them; a fact about a native that does not exist is a finding.
    pub(crate) fn new(
        signatures: &IndexMap<&'static str, Signature>,
        declared: &[Declared<Fact>],
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut facts = Self::default();
        for signature in signatures.values() {
            for other in &signature.implies {
                facts.add_implied(signature.name, other);
            }
            for other in &signature.disjoint {
                facts.add_disjoint(signature.name, other);
            }
        }
        for fact in declared {
            let (Fact::Disjoint(one, other) | Fact::Implies(one, other)) = fact.item;
            let mut known = true;
            for name in [one, other] {
                if !signatures.contains_key(name.item.as_str()) {
                    known = false;
                    let message = format!("there is no native `{}`", name.item);
                    findings.push(
                        Finding::error("relo::check::unknown_native", fact.source, name.span, message)
                            .help(suggestion(&name.item, signatures.keys().copied())),
                    );
                }
            }
            match fact.item {
                _ if !known => {}
                Fact::Disjoint(..) => facts.add_disjoint(&one.item, &other.item),
                Fact::Implies(..) => facts.add_implied(&one.item, &other.item),
            }
        }
        facts
    }

    fn add_implied(&mut self, one: &str, other: &str) {
        self.implied.entry(one.to_owned()).or_default().insert(other.to_owned());
    }

    fn add_disjoint(&mut self, one: &str, other: &str) {
        self.disjoint.insert((one.to_owned(), other.to_owned()));
        self.disjoint.insert((other.to_owned(), one.to_owned()));
    }

    /// A native, and all that holds where it does.
    fn consequences<'a>(&'a self, name: &'a str) -> BTreeSet<&'a str> {
        let (mut found, mut queue) = (BTreeSet::new(), vec![name]);
        while let Some(name) = queue.pop() {
            if found.insert(name) {
                queue.extend(self.implied.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        found
    }

    /// Whether whatever satisfies the first satisfies the second.
    pub(super) fn implies(&self, one: &str, other: &str) -> bool {
        self.consequences(one).contains(other)
    }

    /// Whether nothing satisfies both.
    pub(super) fn excludes(&self, one: &str, other: &str) -> bool {
        if self.disjoint.is_empty() {
            return false;
        }
        let (ones, others) = (self.consequences(one), self.consequences(other));
        self.disjoint.iter().any(|(a, b)| ones.contains(a.as_str()) && others.contains(b.as_str()))
    }
}
