//! What a rule demands, as literals: rules that call the same thing by different names compare.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use relo_grammar::tree::BinaryOp;

use super::literal::{Atom, Conjunction, Constant, Literal, MEMBER, Part, constant};
use crate::native::Signature;
use crate::normal::{
    AttributeTest, BindingId, Condition, OperandPattern, OperandsPattern, OperationPattern, RestPattern,
    Rule, Term, TypePattern,
};

/// More alternatives than these are not taken apart.
const MOST_ALTERNATIVES: usize = 64;

/// The alternatives under which a rule holds; `None` where there are too many to tell.
pub(super) fn demands(
    rule: &Rule,
    signatures: &IndexMap<&'static str, Signature>,
) -> Option<Vec<Conjunction>> {
    let mut reader = Reader { signatures, places: BTreeMap::new(), operations: places(rule) };
    let mut shape = Conjunction::new();
    for (index, pattern) in rule.operations.iter().enumerate().rev() {
        reader.operation(pattern, index, &mut shape);
    }
    let mut alternatives = vec![shape];
    for condition in &rule.conditions {
        alternatives = and(alternatives, reader.condition(condition)?)?;
    }
    Some(alternatives)
}

/// Where each operation of a pattern is, seen from the root.
fn places(rule: &Rule) -> Vec<String> {
    let mut places = vec![String::new(); rule.operations.len()];
    if let Some(root) = places.last_mut() {
        "root".clone_into(root);
    }
    for index in (0..rule.operations.len()).rev() {
        if let OperandsPattern::List { fixed, .. } = &rule.operations[index].operands {
            for (position, operand) in fixed.iter().enumerate() {
                if let OperandPattern::ResultOf { operation, .. } = operand
                    && places[*operation].is_empty()
                {
                    places[*operation] = format!("{}.{position}", places[index]);
                }
            }
        }
    }
    places
}

/// Both of them; `None` where that is too much.
fn and(left: Vec<Conjunction>, right: Vec<Conjunction>) -> Option<Vec<Conjunction>> {
    if left.len() * right.len() > MOST_ALTERNATIVES {
        return None;
    }
    let join = |a: &Conjunction| right.iter().map(|b| a | b).collect::<Vec<_>>();
    Some(left.iter().flat_map(join).collect())
}

struct Reader<'a> {
    signatures: &'a IndexMap<&'static str, Signature>,
    /// What each binding stands for.
    places: BTreeMap<BindingId, String>,
    operations: Vec<String>,
}

impl Reader<'_> {
    fn operation(&mut self, pattern: &OperationPattern, index: usize, into: &mut Conjunction) {
        let place = self.operations[index].clone();
        let mut add = |atom| into.insert(Literal::new(true, atom));
        add(Atom::Operation { place: place.clone(), name: pattern.name.clone() });
        for (position, binding) in pattern.results.iter().enumerate() {
            if let Some(binding) = binding {
                // One operand is the value itself; another result of its operation is next to it.
                self.bind(
                    *binding,
                    if position == 0 { place.clone() } else { format!("{place}#{position}") },
                );
            }
        }
        if let OperandsPattern::List { fixed, rest } = &pattern.operands {
            let count = fixed.len();
            add(match rest {
                RestPattern::None => Atom::Operands { place: place.clone(), count },
                _ => Atom::AtLeast { place: place.clone(), count },
            });
            for (position, operand) in fixed.iter().enumerate() {
                let here = format!("{place}.{position}");
                let known = match operand {
                    OperandPattern::Any => None,
                    OperandPattern::Bind(binding) => self.bind(*binding, here.clone()),
                    OperandPattern::ResultOf { operation, .. } => {
                        Some(self.operations[*operation].clone()).filter(|known| *known != here)
                    }
                };
                if let Some(known) = known {
                    add(Atom::same(here, known));
                }
            }
            if let RestPattern::Bind(binding) = rest {
                self.bind(*binding, format!("{place}.{count}.."));
            }
        }
        for (position, ty) in pattern.types.iter().enumerate() {
            let here = format!("{place}#{position}:");
            match ty {
                TypePattern::Any => {}
                TypePattern::Bind(binding) => {
                    if let Some(known) = self.bind(*binding, here.clone()) {
                        add(Atom::same(here, known));
                    }
                }
                TypePattern::Equals(term) => {
                    add(self.equal(here, term));
                }
            }
        }
        for attribute in &pattern.attributes {
            let here = format!("{place}!{}", attribute.name);
            self.attribute(&attribute.test, here, into);
        }
        if let Some(binding) = pattern.rest {
            let named: Vec<&str> =
                pattern.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
            self.bind(binding, format!("{place}!.. but {}", named.join(" ")));
        }
    }

    fn attribute(&mut self, test: &AttributeTest, here: String, into: &mut Conjunction) {
        let has = |holds| Literal::new(holds, Atom::Has { place: here.clone() });
        match test {
            AttributeTest::Ignored => {}
            AttributeTest::Absent | AttributeTest::Equals(Term::Absent) => {
                into.insert(has(false));
            }
            AttributeTest::Present => {
                into.insert(has(true));
                into.insert(Literal::new(false, Atom::Is { place: here, value: Constant::Bool(false) }));
            }
            AttributeTest::Bind(binding) => {
                into.insert(has(true));
                if let Some(known) = self.bind(*binding, here.clone()) {
                    into.insert(Literal::new(true, Atom::same(here, known)));
                }
            }
            AttributeTest::BindOptional(binding) => {
                self.bind(*binding, here);
            }
            AttributeTest::Equals(term) => {
                into.insert(has(true));
                into.insert(Literal::new(true, self.equal(here, term)));
            }
            AttributeTest::EqualsOrAbsent(term) => {
                into.insert(Literal::new(true, self.equal(here, term)));
            }
        }
    }

    /// Binds; gives what the binding stands for already, where it does.
    fn bind(&mut self, binding: BindingId, place: String) -> Option<String> {
        if let Some(known) = self.places.get(&binding) {
            return Some(known.clone()).filter(|known| *known != place);
        }
        self.places.insert(binding, place);
        None
    }

    fn condition(&mut self, condition: &Condition) -> Option<Vec<Conjunction>> {
        Some(match condition {
            Condition::Bind { bindings, term, .. } => {
                let answer = self.answered(term);
                let place = self.place(term);
                let mut alternatives = answer;
                for (index, binding) in bindings.iter().enumerate() {
                    let here = if bindings.len() == 1 { place.clone() } else { format!("{place}.{index}") };
                    let known = binding.and_then(|binding| self.bind(binding, here.clone()));
                    if let Some(known) = known {
                        for alternative in &mut alternatives {
                            alternative.insert(Literal::new(true, Atom::same(here.clone(), known.clone())));
                        }
                    }
                }
                alternatives
            }
            Condition::Each { binding, list, .. } => {
                let place = format!("{MEMBER}{}", self.place(list));
                let atom = Atom::Holds { native: "in".into(), arguments: vec![place.clone()] };
                self.bind(*binding, place);
                vec![Conjunction::from([Literal::new(true, atom)])]
            }
            Condition::Test { term, .. } => self.formula(term, true)?,
        })
    }

    /// When a term has a value: when the natives in it have answers.
    fn answered(&self, term: &Term) -> Vec<Conjunction> {
        let mut calls = Conjunction::new();
        self.calls(term, &mut calls);
        vec![calls]
    }

    fn calls(&self, term: &Term, into: &mut Conjunction) {
        match term {
            Term::Call { native, arguments } => {
                arguments.iter().for_each(|argument| self.calls(argument, into));
                if !self.is_total(native) {
                    into.insert(Literal::new(true, self.holds(native, arguments)));
                }
            }
            Term::Referent { parts, .. } => parts.iter().for_each(|part| self.calls(part, into)),
            Term::List(items) => items.iter().for_each(|item| self.calls(item, into)),
            Term::Binary(_, left, right) => {
                self.calls(left, into);
                self.calls(right, into);
            }
            _ => {}
        }
    }

    fn holds(&self, native: &str, arguments: &[Term]) -> Atom {
        let arguments = arguments.iter().map(|argument| self.place(argument)).collect();
        Atom::Holds { native: native.to_owned(), arguments }
    }

    /// The alternatives under which a condition holds, or does not; `None` where there are too many.
    fn formula(&self, term: &Term, holds: bool) -> Option<Vec<Conjunction>> {
        let literal = |atom| Conjunction::from([Literal::new(holds, atom)]);
        Some(match term {
            Term::Bool(value) => truth(*value == holds),
            Term::Not(inner) => self.formula(inner, !holds)?,
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let (left, right) = (self.formula(left, holds)?, self.formula(right, holds)?);
                if (*op == BinaryOp::And) == holds {
                    and(left, right)?
                } else {
                    left.into_iter().chain(right).collect()
                }
            }
            Term::Binary(BinaryOp::NotEqual, left, right) => {
                self.formula(&Term::Binary(BinaryOp::Equal, left.clone(), right.clone()), !holds)?
            }
            Term::Binary(op, left, right) => {
                if let (BinaryOp::Equal, Some(left), Some(right)) = (op, constant(left), constant(right)) {
                    return Some(truth((left == right) == holds));
                }
                let mut alternative = match self.comparison(*op, left, right) {
                    Some((sense, atom)) => Conjunction::from([Literal::new(sense == holds, atom)]),
                    None => literal(self.opaque(term)),
                };
                // What has no value makes a comparison fail: its opposite holds then.
                if holds {
                    self.calls(left, &mut alternative);
                    self.calls(right, &mut alternative);
                }
                vec![alternative]
            }
            Term::Call { native, arguments } => {
                if self.is_total(native) {
                    return Some(truth(holds));
                }
                let mut alternative = literal(self.holds(native, arguments));
                if holds {
                    arguments.iter().for_each(|argument| self.calls(argument, &mut alternative));
                }
                vec![alternative]
            }
            term => vec![literal(self.opaque(term))],
        })
    }

    fn is_total(&self, native: &str) -> bool {
        self.signatures.get(native).is_some_and(|signature| signature.total)
    }

    /// A comparison as an atom, and whether in the same sense.
    fn comparison(&self, op: BinaryOp, left: &Term, right: &Term) -> Option<(bool, Atom)> {
        let part = |how| match right {
            Term::Str(text) => Some(Atom::Text { place: self.place(left), how, text: text.clone() }),
            _ => None,
        };
        let below = |term: &Term, number: &Term, more: i128| match number {
            Term::Int(number) => {
                Some(Atom::Below { place: self.place(term), bound: number.checked_add(more)? })
            }
            _ => None,
        };
        // `a < 4`, `4 > a`: either side may be the number.
        Some(match op {
            BinaryOp::Equal => match (constant(left), constant(right)) {
                (Some(_), None) => (true, self.equal(self.place(right), left)),
                _ => (true, self.equal(self.place(left), right)),
            },
            BinaryOp::Less => match below(left, right, 0) {
                Some(atom) => (true, atom),
                None => (false, below(right, left, 1)?),
            },
            BinaryOp::LessEqual => match below(left, right, 1) {
                Some(atom) => (true, atom),
                None => (false, below(right, left, 0)?),
            },
            BinaryOp::Greater => match below(left, right, 1) {
                Some(atom) => (false, atom),
                None => (true, below(right, left, 0)?),
            },
            BinaryOp::GreaterEqual => match below(left, right, 0) {
                Some(atom) => (false, atom),
                None => (true, below(right, left, 1)?),
            },
            BinaryOp::StartsWith => (true, part(Part::Start)?),
            BinaryOp::EndsWith => (true, part(Part::End)?),
            BinaryOp::Contains => (true, part(Part::Anywhere)?),
            BinaryOp::Matches => match right {
                Term::Regex(pattern) => {
                    (true, Atom::Matches { place: self.place(left), pattern: pattern.0.as_str().to_owned() })
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    fn equal(&self, place: String, term: &Term) -> Atom {
        match constant(term) {
            Some(value) => Atom::Is { place, value },
            None => Atom::same(place, self.place(term)),
        }
    }

    fn opaque(&self, term: &Term) -> Atom {
        Atom::Holds { native: String::new(), arguments: vec![self.place(term)] }
    }

    /// What a term stands for, as text.
    fn place(&self, term: &Term) -> String {
        match term {
            Term::Binding(binding) => {
                self.places.get(binding).cloned().unwrap_or_else(|| format!("{binding:?}"))
            }
            Term::Call { native, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.place(argument)).collect();
                format!("{native}({})", arguments.join(", "))
            }
            Term::Referent { kind, parts } => {
                let parts: Vec<String> = parts.iter().map(|part| self.place(part)).collect();
                format!("{kind:?}<{}>", parts.join(", "))
            }
            Term::List(items) => {
                let items: Vec<String> = items.iter().map(|item| self.place(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Term::Not(inner) => format!("not ({})", self.place(inner)),
            Term::Binary(op, left, right) => format!("({} {op:?} {})", self.place(left), self.place(right)),
            term => format!("{term:?}"),
        }
    }
}

fn truth(holds: bool) -> Vec<Conjunction> {
    if holds { vec![Conjunction::new()] } else { Vec::new() }
}
