//! The natives that a rule calls.

use std::collections::BTreeSet;

use crate::native::Natives;
use crate::normal::{AttributeTest, Condition, Construction, Initializer, Outcome, Rule, Term, TypePattern};

impl Rule {
    /// The natives that it calls, with the number of arguments that it gives each.
    pub fn calls(&self) -> BTreeSet<(&str, usize)> {
        let mut calls = BTreeSet::new();
        for pattern in &self.operations {
            for attribute in &pattern.attributes {
                if let AttributeTest::Equals(term) | AttributeTest::EqualsOrAbsent(term) = &attribute.test {
                    gather(term, &mut calls);
                }
            }
            for ty in &pattern.types {
                if let TypePattern::Equals(term) = ty {
                    gather(term, &mut calls);
                }
            }
        }
        for condition in &self.conditions {
            let (Condition::Bind { term, .. }
            | Condition::Test { term, .. }
            | Condition::Each { list: term, .. }) = condition;
            gather(term, &mut calls);
        }
        let Outcome::Rewrite { constructions, .. } = &self.outcome else { return calls };
        for construction in constructions {
            match construction {
                Construction::Operation { operands, attributes, types, .. } => {
                    let attributes = attributes.iter().map(|(_, term)| term);
                    operands.iter().chain(attributes).chain(types).for_each(|term| gather(term, &mut calls));
                }
                Construction::Global { symbol, ty, initializer, attributes, sites, .. } => {
                    let attributes = attributes.iter().map(|(_, term)| term);
                    let sites = sites.iter().flat_map(|(offset, referent)| [offset, referent]);
                    let words = match initializer {
                        Some(Initializer::Word(term) | Initializer::Filled(term)) => Some(term),
                        _ => None,
                    };
                    let terms = [symbol, ty].into_iter().chain(attributes).chain(sites).chain(words);
                    terms.for_each(|term| gather(term, &mut calls));
                }
                Construction::Builder { native, arguments, .. } => {
                    calls.insert((native, arguments.len()));
                    arguments.iter().for_each(|term| gather(term, &mut calls));
                }
            }
        }
        calls
    }
}

fn gather<'a>(term: &'a Term, calls: &mut BTreeSet<(&'a str, usize)>) {
    match term {
        Term::Call { native, arguments } => {
            calls.insert((native, arguments.len()));
            arguments.iter().for_each(|term| gather(term, calls));
        }
        Term::List(items) => items.iter().for_each(|term| gather(term, calls)),
        Term::Referent { parts, .. } => parts.iter().for_each(|term| gather(term, calls)),
        Term::Not(inner) => gather(inner, calls),
        Term::Binary(_, left, right) => {
            gather(left, calls);
            gather(right, calls);
        }
        Term::Bool(_)
        | Term::Int(_)
        | Term::Str(_)
        | Term::Regex(_)
        | Term::Type(_)
        | Term::Absent
        | Term::Binding(_) => {}
    }
}

impl<H> Natives<H> {
    /// A rule and a native that it calls, which is not among these or takes another number of arguments: the rules were
    /// checked with others.
    pub fn missing<'r>(&self, rules: &'r [Rule]) -> Option<(&'r Rule, &'r str)> {
        let fits = |(name, count): &(&str, usize)| {
            self.get(name).is_some_and(|native| native.signature.parameters.len() == *count)
        };
        let missing = |rule: &'r Rule| Some((rule, rule.calls().into_iter().find(|call| !fits(call))?.0));
        rules.iter().find_map(missing)
    }
}
