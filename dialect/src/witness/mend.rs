//! What to change in a scene so that a rule comes further.
//!
//! Each change is a scene of its own; where there are several ways to make a clause hold, all are given, the likeliest first.

use relo_engine::evaluate::{Bound, Failure, Part, plain};
use relo_engine::normal::{AttributeTest, BindingId, Condition, Rule, Term, TypePattern};
use relo_engine::{Datum, Natives};
use relo_grammar::tree::BinaryOp;

use super::merge::Places;
use super::scene::{Given, Scene};
use crate::context::Context;
use crate::handle::ty;
use crate::host::{MlirHost, type_text};
use crate::schema::OdsSchema;

pub(super) struct Mend<'m, 'h> {
    pub(super) scene: &'m Scene,
    pub(super) rule: &'m Rule,
    pub(super) places: &'m Places,
    /// What was bound when the rule failed.
    pub(super) bound: &'m Bound,
    pub(super) context: &'m Context,
    /// The type of a word.
    pub(super) word: String,
    pub(super) host: &'m mut MlirHost<'h>,
    pub(super) natives: &'m Natives<MlirHost<'h>>,
}

impl Mend<'_, '_> {
    pub(super) fn failure(mut self, failure: Failure) -> Vec<Scene> {
        match failure {
            Failure::Operation { .. } => Vec::new(),
            Failure::Strategy => {
                let strategy = format!("{:?}", self.rule.strategy.as_deref().unwrap_or_default());
                self.with(|scene| {
                    let root = scene.operations.len() - 1;
                    scene.attributes(root).insert("strategy".into(), Given::Text(strategy));
                })
            }
            Failure::Part { operation, part } => self.part(operation, part),
            Failure::Condition(index) => self.condition(index),
        }
    }

    /// The scene with a change.
    pub(super) fn with(&self, change: impl FnOnce(&mut Scene)) -> Vec<Scene> {
        let mut scene = self.scene.clone();
        change(&mut scene);
        vec![scene]
    }

    fn part(&mut self, operation: usize, part: Part) -> Vec<Scene> {
        let pattern = &self.rule.operations[operation];
        let place = self.places.operations[operation];
        match part {
            Part::Type(index) => {
                let wanted = match &pattern.types[index] {
                    TypePattern::Any => None,
                    TypePattern::Bind(binding) => self.bound[binding.0].clone(),
                    TypePattern::Equals(term) => self.value(term),
                };
                let value = self.scene.operations[place].results.get(index).copied();
                match (wanted, value) {
                    (Some(Datum::Type(of)), Some(value)) => self.typed(value, type_text(ty(of))),
                    _ => Vec::new(),
                }
            }
            Part::Attribute(index) => {
                let attribute = &pattern.attributes[index];
                let name = attribute.name.as_str();
                match &attribute.test {
                    AttributeTest::Ignored => Vec::new(),
                    AttributeTest::Present => self.unit(place, name, true),
                    AttributeTest::Absent | AttributeTest::Equals(Term::Absent) => self.absent(place, name),
                    AttributeTest::Bind(binding) | AttributeTest::BindOptional(binding) => {
                        match self.bound[binding.0].clone() {
                            Some(datum) => self.attribute(place, name, &datum),
                            None => self.any(place, name),
                        }
                    }
                    AttributeTest::Equals(term) | AttributeTest::EqualsOrAbsent(term) => {
                        match self.value(term) {
                            Some(Datum::Bool(value)) => self.unit(place, name, value),
                            Some(datum) => self.attribute(place, name, &datum),
                            None => Vec::new(),
                        }
                    }
                }
            }
            // The scene is made of both patterns: operands and results are what they ask for, or can't be.
            Part::Result(_)
            | Part::OperandCount
            | Part::Operand(_)
            | Part::OtherOperands
            | Part::OtherAttributes => Vec::new(),
        }
    }

    fn typed(&self, value: usize, ty: String) -> Vec<Scene> {
        self.with(|scene| scene.values[value].ty = ty)
    }

    fn absent(&self, operation: usize, name: &str) -> Vec<Scene> {
        self.with(|scene| {
            scene.attributes(operation).remove(name);
        })
    }

    fn any(&self, operation: usize, name: &str) -> Vec<Scene> {
        let mut scene = self.scene.clone();
        let of = scene.operations[operation].name.clone();
        let Some(given) = scene.anything(self.context, &of, name) else { return Vec::new() };
        scene.attributes(operation).insert(name.to_owned(), given);
        vec![scene]
    }

    fn unit(&self, operation: usize, name: &str, value: bool) -> Vec<Scene> {
        let of = &self.scene.operations[operation].name;
        let is_unit = OdsSchema.constraint(of, name).contains("Unit");
        match (is_unit, value) {
            (true, false) => self.absent(operation, name),
            (true, true) => self.with(|scene| {
                scene.attributes(operation).insert(name.to_owned(), Given::Text("unit".into()));
            }),
            (false, value) => self.attribute(operation, name, &Datum::Bool(value)),
        }
    }

    /// An attribute with a value; a symbol's own name is the symbol's.
    pub(super) fn attribute(&self, operation: usize, name: &str, datum: &Datum) -> Vec<Scene> {
        let of = &self.scene.operations[operation];
        if let (Some(symbol), "sym_name", Datum::Str(text) | Datum::Symbol(text)) = (of.defines, name, datum)
        {
            return self.renamed(symbol, text);
        }
        let Some(given) = self.scene.given(self.context, &of.name, name, datum) else { return Vec::new() };
        self.with(|scene| {
            scene.attributes(operation).insert(name.to_owned(), given);
        })
    }

    pub(super) fn renamed(&self, symbol: usize, name: &str) -> Vec<Scene> {
        if name.is_empty() || self.scene.symbols.iter().any(|one| one.name == name) {
            return Vec::new();
        }
        self.with(|scene| name.clone_into(&mut scene.symbols[symbol].name))
    }

    /// A term's value as the scene is now.
    pub(super) fn value(&mut self, term: &Term) -> Option<Datum> {
        plain(term, self.bound, self.host, self.natives)
    }

    /// Ways to give a term a value that has none.
    pub(super) fn answer(&mut self, term: &Term) -> Vec<Scene> {
        match term {
            Term::Call { native, arguments } => self.answer_native(native, arguments),
            Term::Referent { parts, .. } => {
                let missing = parts.iter().find(|part| ***part != Term::Absent && self.value(part).is_none());
                match missing.cloned() {
                    Some(part) => self.answer(&part),
                    // A word before its symbol has no name.
                    None => self.set(&parts[1], &Datum::Int(0)),
                }
            }
            Term::Binary(_, left, right) => {
                let first = if self.value(left).is_none() { left } else { right };
                self.answer(first)
            }
            Term::List(items) => {
                let missing = items.iter().find(|item| self.value(item).is_none()).cloned();
                missing.map_or_else(Vec::new, |item| self.answer(&item))
            }
            Term::Binding(binding) => match self.attribute_of(*binding) {
                Some((operation, name)) => self.any(operation, &name),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// Ways to give a term this value.
    pub(super) fn set(&mut self, term: &Term, datum: &Datum) -> Vec<Scene> {
        match (term, datum) {
            (Term::Binding(binding), datum) => self.set_binding(*binding, datum),
            (Term::Call { native, arguments }, datum) => self.set_result(native, arguments, 0, datum),
            (Term::Binary(BinaryOp::Add, left, right), Datum::Int(sum)) => {
                let (Some(Datum::Int(l)), Some(Datum::Int(r))) = (self.value(left), self.value(right)) else {
                    return Vec::new();
                };
                [self.set(left, &Datum::Int(sum - r)), self.set(right, &Datum::Int(sum - l))].concat()
            }
            (Term::Binary(BinaryOp::Subtract, left, right), Datum::Int(rest)) => {
                let (Some(Datum::Int(l)), Some(Datum::Int(r))) = (self.value(left), self.value(right)) else {
                    return Vec::new();
                };
                [self.set(left, &Datum::Int(rest + r)), self.set(right, &Datum::Int(l - rest))].concat()
            }
            _ => Vec::new(),
        }
    }

    fn set_binding(&mut self, binding: BindingId, datum: &Datum) -> Vec<Scene> {
        if let Some((operation, name)) = self.attribute_of(binding) {
            return self.attribute(operation, &name, datum);
        }
        if let (Some(value), Datum::Type(of)) = (self.type_of(binding), datum) {
            return self.typed(value, type_text(ty(*of)));
        }
        for condition in &self.rule.conditions {
            match condition {
                Condition::Bind { bindings, term, .. } => {
                    let Some(position) = bindings.iter().position(|one| *one == Some(binding)) else {
                        continue;
                    };
                    return match term {
                        Term::Call { native, arguments } => {
                            self.set_result(native, arguments, position, datum)
                        }
                        term => self.set(term, datum),
                    };
                }
                Condition::Each { binding: member, list, .. } if *member == binding => {
                    return self.set(list, &Datum::List(vec![datum.clone()]));
                }
                _ => {}
            }
        }
        Vec::new()
    }

    /// The attribute that a binding is: operation and name.
    fn attribute_of(&self, binding: BindingId) -> Option<(usize, String)> {
        self.rule.operations.iter().zip(&self.places.operations).find_map(|(pattern, place)| {
            pattern.attributes.iter().find_map(|attribute| match &attribute.test {
                AttributeTest::Bind(bound) | AttributeTest::BindOptional(bound) if *bound == binding => {
                    Some((*place, attribute.name.clone()))
                }
                _ => None,
            })
        })
    }

    /// The value whose type a binding is.
    pub(super) fn type_of(&self, binding: BindingId) -> Option<usize> {
        self.rule.operations.iter().zip(&self.places.operations).find_map(|(pattern, place)| {
            let bound = |ty: &TypePattern| matches!(ty, TypePattern::Bind(bound) if *bound == binding);
            let index = pattern.types.iter().position(bound)?;
            self.scene.operations[*place].results.get(index).copied()
        })
    }

    /// The dictionary that a term is: an attribute of an operation.
    pub(super) fn dictionary(&self, term: &Term) -> Option<(usize, String)> {
        match term {
            Term::Binding(binding) => self.attribute_of(*binding),
            _ => None,
        }
    }

    /// The symbol that a term is.
    pub(super) fn symbol(&mut self, term: &Term) -> Option<usize> {
        let (Datum::Symbol(name) | Datum::Str(name)) = self.value(term)? else { return None };
        self.scene.symbols.iter().position(|symbol| symbol.name == name)
    }
}
