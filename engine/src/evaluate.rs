//! Whether a rule holds for the operations it was matched with, and what it binds.
//!
//! The shape (which operations, linked by which operands) is the matcher's business; everything else about a
//! match is decided here, in one place for every matcher: operands, attributes, types and `where`.

use relo_grammar::tree::BinaryOp;
use relo_referent::Referent;

use crate::datum::{Datum, Kind};
use crate::host::{Attr, Host, Op};
use crate::native::Natives;
use crate::normal::{
    AttributeTest, BindingId, Condition, MessagePart, OperandPattern, OperandsPattern, OperationPattern,
    ReferentKind, RestPattern, Rule, Term, TypePattern,
};

/// What a rule's bindings stand for, by [`BindingId`]; `None` for an optional attribute that is absent.
pub type Bound = Vec<Option<Datum>>;

/// Decides a rule over `ops`, one for each of its operation patterns. `None` where it does not hold.
pub fn evaluate<H: Host>(rule: &Rule, ops: &[Op], host: &mut H, natives: &Natives<H>) -> Option<Bound> {
    let mut evaluation = Evaluation { host, natives, bound: vec![None; rule.bindings.len()] };
    if let Some(strategy) = &rule.strategy {
        let root = *ops.last()?;
        let chosen = evaluation.host.field(root, "strategy")?;
        if chosen != Datum::Str(strategy.clone()) {
            return None;
        }
    }
    for (pattern, op) in rule.operations.iter().zip(ops) {
        evaluation.operation(pattern, *op, ops)?;
    }
    evaluation.conditions(&rule.conditions)?;
    Some(evaluation.bound)
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
    Evaluation { host, natives, bound: bound.clone() }.term(term)
}

struct Evaluation<'a, H> {
    host: &'a mut H,
    natives: &'a Natives<H>,
    bound: Bound,
}

impl<H: Host> Evaluation<'_, H> {
    fn operation(&mut self, pattern: &OperationPattern, op: Op, ops: &[Op]) -> Option<()> {
        let results = self.host.results(op);
        for (index, binding) in pattern.results.iter().enumerate() {
            let value = *results.get(index)?;
            if let Some(binding) = binding {
                self.bind(*binding, Datum::Value(value))?;
            }
        }
        self.operands(&pattern.operands, op, ops)?;
        for (index, ty) in pattern.types.iter().enumerate() {
            let actual = Datum::Type(self.host.type_of(*results.get(index)?));
            match ty {
                TypePattern::Any => {}
                TypePattern::Bind(binding) => self.bind(*binding, actual)?,
                TypePattern::Equals(term) => {
                    let wanted = self.term(term)?;
                    self.equal(&wanted, &actual).then_some(())?;
                }
            }
        }
        for attribute in &pattern.attributes {
            self.attribute(&attribute.test, op, &attribute.name)?;
        }
        if let Some(binding) = pattern.rest {
            let named: Vec<&str> =
                pattern.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
            let rest = self.host.attributes(op);
            let rest = rest.into_iter().filter(|(name, _)| !named.contains(&name.as_str())).collect();
            self.bind(binding, Datum::Dictionary(rest))?;
        }
        Some(())
    }

    fn operands(&mut self, pattern: &OperandsPattern, op: Op, ops: &[Op]) -> Option<()> {
        let OperandsPattern::List { fixed, rest } = pattern else { return Some(()) };
        let operands = self.host.operands(op);
        if operands.len() < fixed.len() || (*rest == RestPattern::None && operands.len() != fixed.len()) {
            return None;
        }
        for (pattern, value) in fixed.iter().zip(&operands) {
            match pattern {
                OperandPattern::Any => {}
                OperandPattern::Bind(binding) => self.bind(*binding, Datum::Value(*value))?,
                OperandPattern::ResultOf { operation, result } => {
                    let defined = self.host.results(ops[*operation]);
                    (defined.get(*result) == Some(value)).then_some(())?;
                }
            }
        }
        if let RestPattern::Bind(binding) = rest {
            let values = operands[fixed.len()..].iter().map(|value| Datum::Value(*value)).collect();
            self.bind(*binding, Datum::List(values))?;
        }
        Some(())
    }

    fn attribute(&mut self, test: &AttributeTest, op: Op, name: &str) -> Option<()> {
        match test {
            AttributeTest::Present => (self.host.field(op, name)? != Datum::Bool(false)).then_some(()),
            AttributeTest::Absent => self.host.attribute(op, name).is_none().then_some(()),
            AttributeTest::Ignored => Some(()),
            AttributeTest::Bind(binding) => {
                let attribute = self.host.attribute(op, name)?;
                self.bind(*binding, Datum::Attr(attribute))
            }
            AttributeTest::BindOptional(binding) => match self.host.attribute(op, name) {
                Some(attribute) => self.bind(*binding, Datum::Attr(attribute)),
                None => Some(()),
            },
            AttributeTest::Equals(Term::Absent) => self.host.attribute(op, name).is_none().then_some(()),
            AttributeTest::Equals(term) => {
                let actual = self.host.field(op, name)?;
                let wanted = self.term(term)?;
                self.equal(&wanted, &actual).then_some(())
            }
            AttributeTest::EqualsOrAbsent(term) => {
                let Some(actual) = self.host.field(op, name) else { return Some(()) };
                let wanted = self.term(term)?;
                self.equal(&wanted, &actual).then_some(())
            }
        }
    }

    fn conditions(&mut self, conditions: &[Condition]) -> Option<()> {
        let Some((first, rest)) = conditions.split_first() else { return Some(()) };
        match first {
            Condition::Test { term, .. } => self.holds(term).then_some(())?,
            Condition::Bind { bindings, term, .. } => {
                let values = self.results(term)?;
                for (binding, value) in bindings.iter().zip(values) {
                    if let Some(binding) = binding {
                        self.bind(*binding, value)?;
                    }
                }
            }
            Condition::Each { binding, list, .. } => {
                let Datum::List(members) = self.plain(list)? else { return None };
                let before = self.bound.clone();
                for member in members {
                    self.bind(*binding, member)?;
                    if self.conditions(rest).is_some() {
                        return Some(());
                    }
                    self.bound.clone_from(&before);
                }
                return None;
            }
        }
        self.conditions(rest)
    }

    fn bind(&mut self, binding: BindingId, datum: Datum) -> Option<()> {
        let Some(before) = self.bound[binding.0].take() else {
            self.bound[binding.0] = Some(datum);
            return Some(());
        };
        let same = self.equal(&before, &datum);
        self.bound[binding.0] = Some(before);
        same.then_some(())
    }

    /// Whether a condition has a value that isn't `false`.
    fn holds(&mut self, term: &Term) -> bool {
        match term {
            Term::Not(inner) => !self.holds(inner),
            Term::Binary(BinaryOp::And, left, right) => self.holds(left) && self.holds(right),
            Term::Binary(BinaryOp::Or, left, right) => self.holds(left) || self.holds(right),
            _ => self.results(term).is_some_and(|values| {
                values.into_iter().next().is_none_or(|value| self.decoded(value) != Datum::Bool(false))
            }),
        }
    }

    /// All values of a term: several where a native gives several.
    fn results(&mut self, term: &Term) -> Option<Vec<Datum>> {
        let Term::Call { native, arguments } = term else { return Some(vec![self.term(term)?]) };
        let native = self.natives.get(native)?;
        let arguments: Vec<Datum> = arguments
            .iter()
            .zip(&native.signature.parameters)
            .map(|(argument, (_, kind))| self.argument(argument, *kind))
            .collect::<Option<_>>()?;
        native.call(self.host, &arguments)
    }

    fn argument(&mut self, term: &Term, kind: Kind) -> Option<Datum> {
        let datum = self.term(term)?;
        Some(match kind {
            Kind::Any | Kind::Attribute => datum,
            _ => self.decoded(datum),
        })
    }

    fn term(&mut self, term: &Term) -> Option<Datum> {
        Some(match term {
            Term::Bool(value) => Datum::Bool(*value),
            Term::Int(value) => Datum::Int(*value),
            Term::Str(text) => Datum::Str(text.clone()),
            Term::Regex(pattern) => Datum::Str(pattern.0.as_str().to_owned()),
            Term::Type(text) => Datum::Type(self.host.parse_type(text)?),
            Term::Absent => return None,
            Term::Binding(binding) => self.bound[binding.0].clone()?,
            Term::Call { .. } => self.results(term)?.into_iter().next().unwrap_or(Datum::Bool(true)),
            Term::Referent { kind, parts } => Datum::Referent(self.referent(*kind, parts)?),
            Term::List(items) => {
                Datum::List(items.iter().map(|item| self.plain(item)).collect::<Option<_>>()?)
            }
            Term::Not(_) | Term::Binary(BinaryOp::And | BinaryOp::Or, ..) => Datum::Bool(self.holds(term)),
            Term::Binary(op, left, right) => self.binary(*op, left, right)?,
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Term, right: &Term) -> Option<Datum> {
        if let (BinaryOp::Matches, Term::Regex(pattern)) = (op, right) {
            let text = text_of(self.plain(left)?)?;
            return Some(Datum::Bool(pattern.0.is_match(&text)));
        }
        let (left, right) = (self.term(left)?, self.term(right)?);
        let result = match op {
            BinaryOp::Equal => self.equal(&left, &right),
            BinaryOp::NotEqual => !self.equal(&left, &right),
            BinaryOp::In => match self.decoded(right) {
                Datum::List(members) => members.iter().any(|member| self.equal(&left, member)),
                _ => return None,
            },
            BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Contains | BinaryOp::Matches => {
                let text = text_of(self.decoded(left))?;
                let other = text_of(self.decoded(right))?;
                match op {
                    BinaryOp::StartsWith => text.starts_with(&other),
                    BinaryOp::EndsWith => text.ends_with(&other),
                    _ => text.contains(&other),
                }
            }
            BinaryOp::Add | BinaryOp::Subtract => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let sum = if op == BinaryOp::Add { left.checked_add(right) } else { left.checked_sub(right) };
                return Some(Datum::Int(sum?));
            }
            _ => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                match op {
                    BinaryOp::Less => left < right,
                    BinaryOp::LessEqual => left <= right,
                    BinaryOp::Greater => left > right,
                    _ => left >= right,
                }
            }
        };
        Some(Datum::Bool(result))
    }

    fn referent(&mut self, kind: ReferentKind, parts: &[Box<Term>; 3]) -> Option<Referent> {
        let text = |evaluation: &mut Self, part: &Term| text_of(evaluation.plain(part)?);
        let library = |evaluation: &mut Self, part: &Term| match part {
            Term::Absent => Some(None),
            // A pack's parameter that is left empty names no library.
            part => text(evaluation, part).map(|library| Some(library).filter(|library| !library.is_empty())),
        };
        let number = |evaluation: &mut Self, part: &Term| match part {
            Term::Absent => Some(0),
            part => {
                let datum = evaluation.plain(part)?;
                evaluation.number(datum)
            }
        };
        let [first, second, third] = parts;
        Some(match kind {
            ReferentKind::Object => Referent::Object {
                runtime: text(self, first)?,
                key: text(self, second)?,
                addend: i64::try_from(number(self, third)?).ok()?,
            },
            ReferentKind::Symbol => Referent::Symbol {
                name: text(self, first)?,
                addend: i64::try_from(number(self, second)?).ok()?,
                library: library(self, third)?,
            },
            ReferentKind::Word => Referent::Word {
                symbol: text(self, first)?,
                // A word before its symbol has no name: no referent, so that the condition does not hold.
                offset: u64::try_from(number(self, second)?).ok()?,
                library: library(self, third)?,
            },
        })
    }

    fn plain(&mut self, term: &Term) -> Option<Datum> {
        let datum = self.term(term)?;
        Some(self.decoded(datum))
    }

    fn decoded(&self, datum: Datum) -> Datum {
        match datum {
            Datum::Attr(attribute) => self.decode(attribute),
            datum => datum,
        }
    }

    fn decode(&self, attribute: Attr) -> Datum {
        self.host.decode(attribute)
    }

    fn number(&self, datum: Datum) -> Option<i128> {
        match self.decoded(datum) {
            Datum::Int(number) => Some(number),
            _ => None,
        }
    }

    fn equal(&self, left: &Datum, right: &Datum) -> bool {
        match (left, right) {
            (Datum::Attr(left), Datum::Attr(right)) if left == right => true,
            (Datum::Attr(_), _) | (_, Datum::Attr(_)) => {
                let (left, right) = (self.decoded(left.clone()), self.decoded(right.clone()));
                // What only the IR understands is equal to itself alone, which the first arm has seen.
                !matches!((&left, &right), (Datum::Attr(_), _) | (_, Datum::Attr(_)))
                    && self.equal(&left, &right)
            }
            (Datum::Symbol(left) | Datum::Str(left), Datum::Symbol(right) | Datum::Str(right)) => {
                left == right
            }
            _ => left == right,
        }
    }
}

fn text_of(datum: Datum) -> Option<String> {
    match datum {
        Datum::Str(text) | Datum::Symbol(text) => Some(text),
        _ => None,
    }
}
