//! Why a rule does not hold somewhere.

use std::fmt;

use relo_grammar::span::Span;
use relo_grammar::tree::BinaryOp;

use crate::datum::Datum;
use crate::evaluate::{Bound, Failure, Part, Terms, attempt};
use crate::host::{Host, Op};
use crate::interpret::shape;
use crate::native::Natives;
use crate::normal::{
    AttributeTest, BindingId, Condition, OperandPattern, OperandsPattern, Rule, Term, TypePattern,
};

/// The first thing of a rule that does not hold at an operation, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Which it is; the greater, the further the rule got.
    pub failure: Failure,
    /// Where it stands in the rule's file.
    pub span: Span,
    /// What is asked, as in `ordering of llvm.load` or as the clause is written.
    pub what: String,
    /// What the rule wants.
    pub wanted: String,
    /// What is there.
    pub found: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: wanted {}, found {}", self.what, self.wanted, self.found)
    }
}

/// Why a rule does not hold where `root` is the root; nothing where it does. It decides as [`crate::evaluate`] does, by
/// the same code.
pub fn why_not<H: Host>(rule: &Rule, root: Op, host: &mut H, natives: &Natives<H>) -> Option<Obstacle> {
    let ops = match shape(rule, root, host) {
        Ok(ops) => ops,
        Err(failure) => {
            let mut words = Words { rule, terms: Terms { host, natives } };
            return Some(words.operation(failure, root));
        }
    };
    let (failure, bound) = attempt(rule, &ops, host, natives).err()?;
    let mut words = Words { rule, terms: Terms { host, natives } };
    Some(match failure {
        Failure::Operation { .. } => words.operation(failure, root),
        Failure::Strategy => {
            let found = words.terms.host.field(root, "strategy");
            Obstacle {
                failure,
                span: rule.span,
                what: format!("the strategy of `{}`", rule.root().name),
                wanted: quoted(rule.strategy.as_deref().unwrap_or_default()),
                found: words.datum(found.as_ref(), "none"),
            }
        }
        Failure::Part { operation, part } => words.part(failure, operation, part, &ops, &bound),
        Failure::Condition(index) => words.clause(failure, &rule.conditions[index], &bound),
    })
}

struct Words<'a, H> {
    rule: &'a Rule,
    terms: Terms<'a, H>,
}

impl<H: Host> Words<'_, H> {
    /// An operation that is not where the pattern has it.
    fn operation(&mut self, failure: Failure, root: Op) -> Obstacle {
        let Failure::Operation { operation, through, .. } = failure else {
            unreachable!("the caller says so")
        };
        let pattern = &self.rule.operations[operation];
        let wanted = quoted(&pattern.name);
        let Some((user, operand)) = through else {
            let found = quoted(&self.terms.host.operation_name(root));
            return Obstacle { failure, span: pattern.span, what: "the operation".into(), wanted, found };
        };
        let what = format!("what defines operand {} of `{}`", operand + 1, self.rule.operations[user].name);
        let value = self.follow(user, root).and_then(|op| self.terms.host.operands(op).get(operand).copied());
        let found = match value.map(|value| self.terms.host.definition(value)) {
            None => "no such operand".to_owned(),
            Some(None) => "an argument of a block".to_owned(),
            Some(Some(op)) => {
                let name = self.terms.host.operation_name(op);
                let other = if name == pattern.name { "another " } else { "" };
                format!("{other}{}", quoted(&name))
            }
        };
        Obstacle { failure, span: pattern.span, what, wanted, found }
    }

    /// The operation that a pattern stands for, by the way that leads to it from the root.
    fn follow(&self, pattern: usize, root: Op) -> Option<Op> {
        if pattern + 1 == self.rule.operations.len() {
            return Some(root);
        }
        let operand = |user: usize| {
            let OperandsPattern::List { fixed, .. } = &self.rule.operations[user].operands else {
                return None;
            };
            fixed.iter().position(
                |operand| matches!(operand, OperandPattern::ResultOf { operation, .. } if *operation == pattern),
            )
        };
        let (user, index) =
            (pattern + 1..self.rule.operations.len()).rev().find_map(|user| Some((user, operand(user)?)))?;
        let op = self.follow(user, root)?;
        self.terms.host.definition(*self.terms.host.operands(op).get(index)?)
    }

    fn part(
        &mut self,
        failure: Failure,
        operation: usize,
        part: Part,
        ops: &[Op],
        bound: &Bound,
    ) -> Obstacle {
        let (pattern, op) = (&self.rule.operations[operation], ops[operation]);
        let of = |what: String| format!("{what} of `{}`", pattern.name);
        let operands = self.terms.host.operands(op);
        let results = self.terms.host.results(op);
        let (span, what, wanted, found) = match part {
            Part::Result(index) => {
                let before = pattern.results.get(index).copied().flatten();
                let wanted = before.map_or_else(|| "one".to_owned(), |before| self.binding(before, bound));
                let found = results.get(index).map(|value| Datum::Value(*value));
                (
                    pattern.span,
                    of(format!("result {}", index + 1)),
                    wanted,
                    self.datum(found.as_ref(), "none"),
                )
            }
            Part::OperandCount => {
                let OperandsPattern::List { fixed, rest } = &pattern.operands else {
                    unreachable!("any operands have any number")
                };
                let more = if *rest == crate::normal::RestPattern::None { "" } else { " or more" };
                let wanted = format!("{}{more}", fixed.len());
                (pattern.span, of("the number of operands".into()), wanted, operands.len().to_string())
            }
            Part::Operand(index) => {
                let OperandsPattern::List { fixed, .. } = &pattern.operands else {
                    unreachable!("any operands are any")
                };
                let wanted = match &fixed[index] {
                    OperandPattern::Bind(binding) => self.binding(*binding, bound),
                    OperandPattern::ResultOf { operation, result } => {
                        format!("result {} of `{}`", result + 1, self.rule.operations[*operation].name)
                    }
                    OperandPattern::Any => "anything".to_owned(),
                };
                let found = Datum::Value(operands[index]);
                (pattern.span, of(format!("operand {}", index + 1)), wanted, self.datum(Some(&found), ""))
            }
            Part::OtherOperands => {
                let wanted = "the same as before".to_owned();
                let found = Datum::List(operands.into_iter().map(Datum::Value).collect());
                (pattern.span, of("the other operands".into()), wanted, self.datum(Some(&found), ""))
            }
            Part::Type(index) => {
                let wanted = match &pattern.types[index] {
                    TypePattern::Bind(binding) => self.binding(*binding, bound),
                    TypePattern::Equals(term) => self.term(term, bound),
                    TypePattern::Any => "one".to_owned(),
                };
                let found = results.get(index).map(|value| Datum::Type(self.terms.host.type_of(*value)));
                let what = of(format!("the type of result {}", index + 1));
                (pattern.span, what, wanted, self.datum(found.as_ref(), "no result"))
            }
            Part::Attribute(index) => {
                let attribute = &pattern.attributes[index];
                let wanted = match &attribute.test {
                    AttributeTest::Present => "one that is set".to_owned(),
                    AttributeTest::Absent | AttributeTest::Equals(Term::Absent) => "none".to_owned(),
                    AttributeTest::Ignored => "anything".to_owned(),
                    AttributeTest::Bind(binding) | AttributeTest::BindOptional(binding) => {
                        self.binding(*binding, bound)
                    }
                    AttributeTest::Equals(term) | AttributeTest::EqualsOrAbsent(term) => {
                        self.term(term, bound)
                    }
                };
                let found = self.terms.host.field(op, &attribute.name);
                (attribute.span, of(quoted(&attribute.name)), wanted, self.datum(found.as_ref(), "none"))
            }
            Part::OtherAttributes => {
                let found = Datum::Dictionary(self.terms.host.attributes(op));
                let wanted = "the same as before".to_owned();
                (pattern.span, of("the other attributes".into()), wanted, self.datum(Some(&found), ""))
            }
        };
        Obstacle { failure, span, what, wanted, found }
    }

    fn clause(&mut self, failure: Failure, condition: &Condition, bound: &Bound) -> Obstacle {
        let (Condition::Bind { span, .. } | Condition::Each { span, .. } | Condition::Test { span, .. }) =
            condition;
        let text = self.rule.source.text.get(span.range()).unwrap_or_default();
        let (wanted, found) = match condition {
            Condition::Test { term, .. } => self.culprit(term, bound),
            Condition::Bind { bindings, term, .. } => match self.terms.results(term, bound) {
                None => (format!("an answer of {}", self.shown(term, bound)), "none".to_owned()),
                Some(values) => {
                    let clash = bindings.iter().zip(&values).find_map(|(binding, value)| {
                        let before = bound[(*binding)?.0].as_ref()?;
                        (!self.terms.equal(before, value)).then(|| (before.clone(), value.clone()))
                    });
                    let (before, value) = clash.unzip();
                    (self.datum(before.as_ref(), "another"), self.datum(value.as_ref(), "nothing"))
                }
            },
            Condition::Each { list, .. } => {
                let found = self.terms.plain(list, bound);
                ("a member for which the rest holds".to_owned(), self.datum(found.as_ref(), "no list"))
            }
        };
        Obstacle {
            failure,
            span: *span,
            what: quoted(&text.split_whitespace().collect::<Vec<_>>().join(" ")),
            wanted,
            found,
        }
    }

    /// The part of a condition that is not true: what it wants, and what is there.
    fn culprit(&mut self, term: &Term, bound: &Bound) -> (String, String) {
        match term {
            Term::Binary(BinaryOp::And, left, right) => {
                let first = if self.terms.holds(left, bound) { right } else { left };
                self.culprit(first, bound)
            }
            // Neither side holds.
            Term::Binary(BinaryOp::Or, left, right) => {
                let ((wanted, found), (other, also)) =
                    (self.culprit(left, bound), self.culprit(right, bound));
                let found = if found == also { found } else { format!("{found} and {also}") };
                (format!("{wanted} or {other}"), found)
            }
            Term::Not(inner) => (format!("not {}", self.shown(inner, bound)), "that it is so".to_owned()),
            Term::Binary(op, left, right) => {
                let found = self.term(left, bound);
                (format!("{} {}", op.sign(), self.term(right, bound)), found)
            }
            term => {
                let found = self.terms.term(term, bound);
                let found = match found {
                    Some(Datum::Bool(false)) => "false".to_owned(),
                    _ => "no answer".to_owned(),
                };
                (self.shown(term, bound), found)
            }
        }
    }

    /// A term with the values that it is about: `is_word(f32)`.
    fn shown(&mut self, term: &Term, bound: &Bound) -> String {
        match term {
            Term::Call { native, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.term(argument, bound)).collect();
                format!("{native}({})", arguments.join(", "))
            }
            Term::Not(inner) => format!("not {}", self.shown(inner, bound)),
            Term::Binary(op, left, right) => {
                format!("{} {} {}", self.shown(left, bound), op.sign(), self.shown(right, bound))
            }
            term => self.term(term, bound),
        }
    }

    /// A term's value; the call where it has none.
    fn term(&mut self, term: &Term, bound: &Bound) -> String {
        match (term, self.terms.term(term, bound)) {
            (Term::Regex(pattern), _) => format!("/{}/", pattern.0.as_str()),
            (_, Some(datum)) => self.datum(Some(&datum), ""),
            (Term::Binding(binding), None) => {
                format!("{}, which is not set", self.rule.bindings[binding.0].name)
            }
            (Term::Call { .. }, None) => format!("{}, which has no answer", self.shown(term, bound)),
            (_, None) => "nothing".to_owned(),
        }
    }

    fn binding(&mut self, binding: BindingId, bound: &Bound) -> String {
        let datum = bound[binding.0].as_ref();
        self.datum(datum, "any")
    }

    fn datum(&self, datum: Option<&Datum>, none: &str) -> String {
        match datum {
            None => none.to_owned(),
            Some(Datum::Str(text)) => format!("\"{text}\""),
            Some(datum) => self.terms.host.text(datum),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}
