//! Whether a rule holds for the operations it was matched with, and what it binds.
//!
//! The shape (which operations, linked by which operands) is the matcher's business; everything else about a
//! match is decided here, in one place for every matcher: operands, attributes, types and `where`.

mod failure;
mod terms;

use crate::datum::Datum;
use crate::host::{Host, Op};
use crate::native::Natives;
use crate::normal::{
    AttributeTest, BindingId, Condition, MessagePart, OperandPattern, OperandsPattern, OperationPattern,
    RestPattern, Rule, Term, TypePattern,
};

pub use failure::{Failure, Part};
pub(crate) use terms::Terms;

/// What a rule's bindings stand for, by [`BindingId`]; `None` for an optional attribute that is absent.
pub type Bound = Vec<Option<Datum>>;

/// Decides a rule over `ops`, one for each of its operation patterns.
///
/// # Errors
/// The first thing that does not hold.
pub fn evaluate<H: Host>(
    rule: &Rule,
    ops: &[Op],
    host: &mut H,
    natives: &Natives<H>,
) -> Result<Bound, Failure> {
    let mut evaluation = Evaluation::new(rule, host, natives);
    evaluation.rule(rule, ops)?;
    Ok(evaluation.bound)
}

/// Decides a rule as [`evaluate`] does, and says what was bound when it failed.
///
/// # Errors
/// The first thing that does not hold; with `$x in …`, of the member that got furthest.
pub fn attempt<H: Host>(
    rule: &Rule,
    ops: &[Op],
    host: &mut H,
    natives: &Natives<H>,
) -> Result<(), (Failure, Bound)> {
    let mut evaluation = Evaluation::new(rule, host, natives);
    evaluation.explains = true;
    evaluation.rule(rule, ops).map_err(|failure| match (failure, evaluation.furthest) {
        (Failure::Condition(_), Some((_, bound))) => (failure, bound),
        _ => (failure, evaluation.bound),
    })
}

/// The first value of a term, decoded; `None` where it has none.
pub fn plain<H: Host>(term: &Term, bound: &Bound, host: &mut H, natives: &Natives<H>) -> Option<Datum> {
    Terms { host, natives }.plain(term, bound)
}

/// A reject's message, with its holes filled.
pub fn message<H: Host>(parts: &[MessagePart], bound: &Bound, host: &H) -> String {
    parts
        .iter()
        .map(|part| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Binding(binding) => {
                bound[binding.0].as_ref().map_or_else(String::new, |datum| host.text(datum))
            }
        })
        .collect()
}

/// A constant term, or one over what is bound, as data.
pub fn value<H: Host>(term: &Term, bound: &Bound, host: &mut H, natives: &Natives<H>) -> Option<Datum> {
    Terms { host, natives }.term(term, bound)
}

pub(crate) struct Evaluation<'a, H> {
    pub(crate) terms: Terms<'a, H>,
    /// What is bound; where the rule failed, what was bound then.
    pub(crate) bound: Bound,
    /// Where a clause failed, what was bound, for the one that got furthest; only kept for explanations.
    pub(crate) furthest: Option<(usize, Bound)>,
    pub(crate) explains: bool,
}

impl<'a, H: Host> Evaluation<'a, H> {
    pub(crate) fn new(rule: &Rule, host: &'a mut H, natives: &'a Natives<H>) -> Self {
        let bound = vec![None; rule.bindings.len()];
        Self { terms: Terms { host, natives }, bound, furthest: None, explains: false }
    }

    pub(crate) fn rule(&mut self, rule: &Rule, ops: &[Op]) -> Result<(), Failure> {
        if let Some(strategy) = &rule.strategy {
            let chosen = ops.last().and_then(|root| self.terms.host.field(*root, "strategy"));
            if !matches!(chosen, Some(Datum::Str(chosen)) if chosen == *strategy) {
                return Err(Failure::Strategy);
            }
        }
        for (index, (pattern, op)) in rule.operations.iter().zip(ops).enumerate() {
            self.operation(pattern, *op, ops).map_err(|part| Failure::Part { operation: index, part })?;
        }
        self.conditions(&rule.conditions, 0).map_err(Failure::Condition)
    }

    fn operation(&mut self, pattern: &OperationPattern, op: Op, ops: &[Op]) -> Result<(), Part> {
        let results = self.terms.host.results(op);
        for (index, binding) in pattern.results.iter().enumerate() {
            let value = *results.get(index).ok_or(Part::Result(index))?;
            if let Some(binding) = binding {
                self.bind(*binding, Datum::Value(value)).ok_or(Part::Result(index))?;
            }
        }
        self.operands(&pattern.operands, op, ops)?;
        for (index, ty) in pattern.types.iter().enumerate() {
            let holds = results.get(index).and_then(|result| {
                let actual = Datum::Type(self.terms.host.type_of(*result));
                match ty {
                    TypePattern::Any => Some(()),
                    TypePattern::Bind(binding) => self.bind(*binding, actual),
                    TypePattern::Equals(term) => self.equals(term, &actual),
                }
            });
            holds.ok_or(Part::Type(index))?;
        }
        for (index, attribute) in pattern.attributes.iter().enumerate() {
            self.attribute(&attribute.test, op, &attribute.name).ok_or(Part::Attribute(index))?;
        }
        if let Some(binding) = pattern.rest {
            let named: Vec<&str> =
                pattern.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
            let rest = self.terms.host.attributes(op);
            let rest = rest.into_iter().filter(|(name, _)| !named.contains(&name.as_str())).collect();
            self.bind(binding, Datum::Dictionary(rest)).ok_or(Part::OtherAttributes)?;
        }
        Ok(())
    }

    fn operands(&mut self, pattern: &OperandsPattern, op: Op, ops: &[Op]) -> Result<(), Part> {
        let OperandsPattern::List { fixed, rest } = pattern else { return Ok(()) };
        let operands = self.terms.host.operands(op);
        if operands.len() < fixed.len() || (*rest == RestPattern::None && operands.len() != fixed.len()) {
            return Err(Part::OperandCount);
        }
        for (index, (pattern, value)) in fixed.iter().zip(&operands).enumerate() {
            let holds = match pattern {
                OperandPattern::Any => Some(()),
                OperandPattern::Bind(binding) => self.bind(*binding, Datum::Value(*value)),
                OperandPattern::ResultOf { operation, result } => {
                    let defined = self.terms.host.results(ops[*operation]);
                    (defined.get(*result) == Some(value)).then_some(())
                }
            };
            holds.ok_or(Part::Operand(index))?;
        }
        if let RestPattern::Bind(binding) = rest {
            let values = operands[fixed.len()..].iter().map(|value| Datum::Value(*value)).collect();
            self.bind(*binding, Datum::List(values)).ok_or(Part::OtherOperands)?;
        }
        Ok(())
    }

    fn attribute(&mut self, test: &AttributeTest, op: Op, name: &str) -> Option<()> {
        let host = &mut *self.terms.host;
        match test {
            AttributeTest::Present => (host.field(op, name)? != Datum::Bool(false)).then_some(()),
            AttributeTest::Absent => host.attribute(op, name).is_none().then_some(()),
            AttributeTest::Ignored => Some(()),
            AttributeTest::Bind(binding) => {
                let attribute = host.attribute(op, name)?;
                self.bind(*binding, Datum::Attr(attribute))
            }
            AttributeTest::BindOptional(binding) => match host.attribute(op, name) {
                Some(attribute) => self.bind(*binding, Datum::Attr(attribute)),
                None => Some(()),
            },
            AttributeTest::Equals(Term::Absent) => host.attribute(op, name).is_none().then_some(()),
            AttributeTest::Equals(term) => {
                let actual = host.field(op, name)?;
                self.equals(term, &actual)
            }
            AttributeTest::EqualsOrAbsent(term) => {
                let Some(actual) = host.field(op, name) else { return Some(()) };
                self.equals(term, &actual)
            }
        }
    }

    /// Decides the clauses from `index` on; gives the one that does not hold.
    fn conditions(&mut self, conditions: &[Condition], index: usize) -> Result<(), usize> {
        let Some(first) = conditions.get(index) else { return Ok(()) };
        let Condition::Each { binding, list, .. } = first else {
            let holds = self.condition(first);
            return if holds.is_some() { self.conditions(conditions, index + 1) } else { self.failed(index) };
        };
        let members = self.terms.plain(list, &self.bound);
        let Some(Datum::List(members)) = members else { return self.failed(index) };
        let before = self.bound.clone();
        let mut furthest = index;
        for member in members {
            let tried = match self.bind(*binding, member) {
                Some(()) => self.conditions(conditions, index + 1),
                None => self.failed(index),
            };
            match tried {
                Ok(()) => return Ok(()),
                Err(failed) => furthest = furthest.max(failed),
            }
            self.bound.clone_from(&before);
        }
        self.failed(index).map_err(|index| index.max(furthest))
    }

    fn condition(&mut self, condition: &Condition) -> Option<()> {
        match condition {
            Condition::Test { term, .. } => self.terms.holds(term, &self.bound).then_some(()),
            Condition::Bind { bindings, term, .. } => {
                let values = self.terms.results(term, &self.bound)?;
                for (binding, value) in bindings.iter().zip(values) {
                    if let Some(binding) = binding {
                        self.bind(*binding, value)?;
                    }
                }
                Some(())
            }
            // Its clauses are those that follow.
            Condition::Each { .. } => None,
        }
    }

    fn failed(&mut self, index: usize) -> Result<(), usize> {
        if self.explains && self.furthest.as_ref().is_none_or(|(furthest, _)| *furthest < index) {
            self.furthest = Some((index, self.bound.clone()));
        }
        Err(index)
    }

    fn equals(&mut self, term: &Term, actual: &Datum) -> Option<()> {
        let wanted = self.terms.term(term, &self.bound)?;
        self.terms.equal(&wanted, actual).then_some(())
    }

    fn bind(&mut self, binding: BindingId, datum: Datum) -> Option<()> {
        match &self.bound[binding.0] {
            None => {
                self.bound[binding.0] = Some(datum);
                Some(())
            }
            Some(before) => self.terms.equal(before, &datum).then_some(()),
        }
    }
}
