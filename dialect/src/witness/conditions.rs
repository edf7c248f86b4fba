//! What to change in a scene so that a condition holds, or does not.

use relo_engine::Datum;
use relo_engine::normal::{Condition, Term};
use relo_grammar::tree::BinaryOp;
use relo_referent::Referent;

use super::mend::Mend;
use super::sample::samples;
use super::scene::Scene;
use crate::handle::ty;
use crate::host::type_text;

impl Mend<'_, '_> {
    pub(super) fn condition(&mut self, index: usize) -> Vec<Scene> {
        match &self.rule.conditions[index] {
            Condition::Test { term, .. } => self.hold(term, true),
            Condition::Each { binding, list, .. } => match self.value(list) {
                None => self.answer(list),
                // Its members are tried by the clauses that follow.
                Some(_) => self.set(&Term::Binding(*binding), &Datum::Int(0)),
            },
            Condition::Bind { bindings, term, .. } => {
                if self.value(term).is_none() {
                    return self.answer(term);
                }
                let clash = bindings
                    .iter()
                    .enumerate()
                    .find_map(|(position, binding)| Some((position, self.bound[(*binding)?.0].clone()?)));
                match (clash, term) {
                    (Some((position, datum)), Term::Call { native, arguments }) => {
                        self.set_result(native, arguments, position, &datum)
                    }
                    (Some((_, datum)), term) => self.set(term, &datum),
                    (None, term) => self.answer(term),
                }
            }
        }
    }

    /// Ways to make a condition hold, or not.
    pub(super) fn hold(&mut self, term: &Term, wanted: bool) -> Vec<Scene> {
        match term {
            Term::Not(inner) => self.hold(inner, !wanted),
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let both = (*op == BinaryOp::And) == wanted;
                let (one, other) = (self.holds(left) == wanted, self.holds(right) == wanted);
                match (both, one, other) {
                    (true, false, _) => self.hold(left, wanted),
                    (true, true, _) => self.hold(right, wanted),
                    (false, ..) => [self.hold(left, wanted), self.hold(right, wanted)].concat(),
                }
            }
            Term::Binary(op, left, right) => self.compare(*op, left, right, wanted),
            Term::Call { native, arguments } if wanted => self.answer_native(native, arguments),
            Term::Call { native, arguments } => self.refuse_native(native, arguments),
            term => self.set(term, &Datum::Bool(wanted)),
        }
    }

    fn holds(&mut self, term: &Term) -> bool {
        match term {
            Term::Not(inner) => !self.holds(inner),
            Term::Binary(BinaryOp::And, left, right) => self.holds(left) && self.holds(right),
            Term::Binary(BinaryOp::Or, left, right) => self.holds(left) || self.holds(right),
            term => self.value(term).is_some_and(|value| value != Datum::Bool(false)),
        }
    }

    fn compare(&mut self, op: BinaryOp, left: &Term, right: &Term, wanted: bool) -> Vec<Scene> {
        let is_pattern = matches!(right, Term::Regex(_));
        let (one, other) = (self.value(left), self.value(right));
        if one.is_none() || (other.is_none() && !is_pattern) {
            return if wanted { self.answer(if one.is_none() { left } else { right }) } else { Vec::new() };
        }
        let (Some(one), Some(other)) = (one, other.or(Some(Datum::Bool(true)))) else { return Vec::new() };
        let number = |datum: &Datum| match datum {
            Datum::Int(number) => *number,
            _ => 0,
        };
        let text = |datum: &Datum| match datum {
            Datum::Str(text) | Datum::Symbol(text) => text.clone(),
            _ => String::new(),
        };
        let mut both = |left_is: i128, right_is: i128| {
            [self.set(left, &Datum::Int(left_is)), self.set(right, &Datum::Int(right_is))].concat()
        };
        let (l, r) = (number(&one), number(&other));
        match (op, wanted) {
            (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => both(r - 1, l + 1),
            (BinaryOp::Less, false) | (BinaryOp::GreaterEqual, true) => both(r, l),
            (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => both(r, l),
            (BinaryOp::LessEqual, false) | (BinaryOp::Greater, true) => both(r + 1, l - 1),
            (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => {
                [self.set(left, &other), self.set(right, &one)].concat()
            }
            (BinaryOp::Equal, false) | (BinaryOp::NotEqual, true) => {
                [self.set_others(left, &one), self.set_others(right, &other)].concat()
            }
            (BinaryOp::In, true) => match &other {
                Datum::List(members) => members.iter().flat_map(|member| self.set(left, member)).collect(),
                _ => Vec::new(),
            },
            (BinaryOp::In, false) => self.set_others(left, &one),
            (BinaryOp::Matches, true) => match right {
                Term::Regex(pattern) => samples(pattern.0.as_str())
                    .into_iter()
                    .flat_map(|text| self.set(left, &Datum::Str(text)))
                    .collect(),
                _ => Vec::new(),
            },
            (BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Contains, true) => {
                let (whole, part) = (text(&one), text(&other));
                let alone = if part.ends_with('.') { format!("{part}x") } else { part.clone() };
                [alone, format!("{part}{whole}"), format!("{whole}{part}")]
                    .into_iter()
                    .flat_map(|text| self.set(left, &Datum::Str(text)))
                    .collect()
            }
            (BinaryOp::Matches | BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Contains, false) => {
                let whole = text(&one);
                [format!("{whole}x"), format!("x{whole}"), "other".to_owned()]
                    .into_iter()
                    .flat_map(|text| self.set(left, &Datum::Str(text)))
                    .collect()
            }
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Add | BinaryOp::Subtract, _) => Vec::new(),
        }
    }

    /// Ways to give a term another value than this.
    fn set_others(&mut self, term: &Term, datum: &Datum) -> Vec<Scene> {
        let Datum::Type(of) = datum else { return self.set(term, &another(datum)) };
        let now = type_text(ty(*of));
        let word = self.word.clone();
        let others = [word.as_str(), "!llvm.ptr", "i32", "i64", "i8", "f64"];
        others
            .into_iter()
            .filter(|other| *other != now)
            .flat_map(|other| self.set_type(term, other))
            .collect()
    }
}

/// Something else of the same kind.
fn another(datum: &Datum) -> Datum {
    match datum {
        Datum::Int(number) => Datum::Int(number + 1),
        Datum::Str(text) => Datum::Str(format!("{text}x")),
        Datum::Symbol(text) => Datum::Symbol(format!("{text}x")),
        Datum::Bool(value) => Datum::Bool(!value),
        Datum::Referent(_) => {
            Datum::Referent(Referent::Object { runtime: "host".into(), key: "another".into(), addend: 0 })
        }
        datum => datum.clone(),
    }
}
