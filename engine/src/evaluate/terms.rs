//! Expressions over what is bound.

use relo_grammar::tree::BinaryOp;
use relo_referent::Referent;

use super::Bound;
use crate::datum::{Datum, Kind};
use crate::host::{Attr, Host};
use crate::native::Natives;
use crate::normal::{ReferentKind, Term};

/// What terms are read with.
pub(crate) struct Terms<'a, H> {
    pub(crate) host: &'a mut H,
    pub(crate) natives: &'a Natives<H>,
}

impl<H: Host> Terms<'_, H> {
    /// Whether a condition has a value that isn't `false`.
    pub(crate) fn holds(&mut self, term: &Term, bound: &Bound) -> bool {
        match term {
            Term::Not(inner) => !self.holds(inner, bound),
            Term::Binary(BinaryOp::And, left, right) => self.holds(left, bound) && self.holds(right, bound),
            Term::Binary(BinaryOp::Or, left, right) => self.holds(left, bound) || self.holds(right, bound),
            _ => self.results(term, bound).is_some_and(|values| {
                values.into_iter().next().is_none_or(|value| self.decoded(value) != Datum::Bool(false))
            }),
        }
    }

    /// All values of a term: several where a native gives several.
    pub(crate) fn results(&mut self, term: &Term, bound: &Bound) -> Option<Vec<Datum>> {
        let Term::Call { native, arguments } = term else { return Some(vec![self.term(term, bound)?]) };
        let native = self.natives.get(native)?;
        let arguments: Vec<Datum> = arguments
            .iter()
            .zip(&native.signature.parameters)
            .map(|(argument, (_, kind))| self.argument(argument, *kind, bound))
            .collect::<Option<_>>()?;
        self.natives.call(native, self.host, &arguments)
    }

    pub(crate) fn argument(&mut self, term: &Term, kind: Kind, bound: &Bound) -> Option<Datum> {
        let datum = self.term(term, bound)?;
        Some(match kind {
            Kind::Any | Kind::Attribute => datum,
            _ => self.decoded(datum),
        })
    }

    pub(crate) fn term(&mut self, term: &Term, bound: &Bound) -> Option<Datum> {
        Some(match term {
            Term::Bool(value) => Datum::Bool(*value),
            Term::Int(value) => Datum::Int(*value),
            Term::Str(text) => Datum::Str(text.clone()),
            Term::Regex(pattern) => Datum::Str(pattern.0.as_str().to_owned()),
            Term::Type(text) => Datum::Type(self.host.parse_type(text)?),
            Term::Absent => return None,
            Term::Binding(binding) => bound[binding.0].clone()?,
            Term::Call { .. } => self.results(term, bound)?.into_iter().next().unwrap_or(Datum::Bool(true)),
            Term::Referent { kind, parts } => Datum::Referent(self.referent(*kind, parts, bound)?),
            Term::List(items) => {
                Datum::List(items.iter().map(|item| self.plain(item, bound)).collect::<Option<_>>()?)
            }
            Term::Not(_) | Term::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                Datum::Bool(self.holds(term, bound))
            }
            Term::Binary(op, left, right) => self.binary(*op, left, right, bound)?,
        })
    }

    fn binary(&mut self, op: BinaryOp, left: &Term, right: &Term, bound: &Bound) -> Option<Datum> {
        if let (BinaryOp::Matches, Term::Regex(pattern)) = (op, right) {
            let text = text_of(self.plain(left, bound)?)?;
            return Some(Datum::Bool(pattern.0.is_match(&text)));
        }
        let (left, right) = (self.term(left, bound)?, self.term(right, bound)?);
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

    fn referent(&mut self, kind: ReferentKind, parts: &[Box<Term>; 3], bound: &Bound) -> Option<Referent> {
        let text = |terms: &mut Self, part: &Term| text_of(terms.plain(part, bound)?);
        let library = |terms: &mut Self, part: &Term| match part {
            Term::Absent => Some(None),
            // A pack's parameter that is left empty names no library.
            part => text(terms, part).map(|library| Some(library).filter(|library| !library.is_empty())),
        };
        let number = |terms: &mut Self, part: &Term| match part {
            Term::Absent => Some(0),
            part => {
                let datum = terms.plain(part, bound)?;
                terms.number(datum)
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

    pub(crate) fn plain(&mut self, term: &Term, bound: &Bound) -> Option<Datum> {
        let datum = self.term(term, bound)?;
        Some(self.decoded(datum))
    }

    pub(crate) fn decoded(&self, datum: Datum) -> Datum {
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

    pub(crate) fn equal(&self, left: &Datum, right: &Datum) -> bool {
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
