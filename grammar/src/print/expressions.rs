//! Expressions, texts and captures as text.

use std::fmt;

use crate::precedence::{COMPARISON, strength};
use crate::tree::{BinaryOp, Call, Capture, Expr, ExprKind, Sigil, Text, TextPart};

pub(super) fn capture(capture: &Capture) -> String {
    let sigil = match capture.sigil {
        _ if capture.name.item == "_" => "",
        Sigil::Value => "%",
        Sigil::Symbol => "@",
        Sigil::Data => "$",
    };
    format!("{sigil}{}", capture.name.item)
}

/// How tightly `not` binds.
const NOT: u8 = COMPARISON - 1;

/// How things are spelled. Where there is a source, numbers are spelled as in it: the tree does not know whether one
/// was hexadecimal.
#[derive(Clone, Copy)]
pub(crate) struct Spelling<'s> {
    /// The text that the tree was read from.
    pub(crate) source: Option<&'s str>,
}

impl Spelling<'_> {
    pub(super) fn exprs(self, list: &[Expr]) -> String {
        list.iter().map(|item| self.expr(item)).collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn expr(self, expr: &Expr) -> String {
        self.at_least(expr, 0)
    }

    /// Where only one operand can stand: anything else gets parentheses.
    pub(super) fn primary(self, expr: &Expr) -> String {
        self.at_least(expr, u8::MAX)
    }

    /// Between angle brackets only sums can stand.
    fn sum(self, expr: &Expr) -> String {
        self.at_least(expr, strength(BinaryOp::Add))
    }

    /// The expression, in parentheses where its operator binds looser than `least`.
    fn at_least(self, expr: &Expr, least: u8) -> String {
        let (strength, text) = match &expr.kind {
            ExprKind::Not(inner) => (NOT, format!("not {}", self.at_least(inner, NOT))),
            ExprKind::Binary(op, left, right) => {
                let own = strength(*op);
                // Operators of one strength are read left to right; comparisons don't chain.
                let left = self.at_least(left, if own == COMPARISON { own + 1 } else { own });
                let right = self.at_least(right, own + 1);
                (own, format!("{left} {} {right}", op.sign()))
            }
            _ => return self.leaf(expr),
        };
        if strength < least { format!("({text})") } else { text }
    }

    /// The parts of a condition that `and` or `or` joins, each but the first with its operator before it.
    pub(crate) fn joined_parts(self, expr: &Expr) -> Vec<String> {
        let ExprKind::Binary(joint @ (BinaryOp::And | BinaryOp::Or), ..) = expr.kind else {
            return vec![self.expr(expr)];
        };
        let mut parts = Vec::new();
        let mut rest = expr;
        while let ExprKind::Binary(op, left, right) = &rest.kind
            && *op == joint
        {
            parts.push(format!("{} {}", joint.sign(), self.at_least(right, strength(joint) + 1)));
            rest = left;
        }
        let first = self.at_least(rest, strength(joint));
        // A line that begins with a minus goes on with the one before.
        parts.push(if first.starts_with('-') { format!("({first})") } else { first });
        parts.reverse();
        parts
    }

    fn leaf(self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Any | ExprKind::Not(_) | ExprKind::Binary(..) => "_".to_owned(),
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value) => match self.source.and_then(|source| source.get(expr.span.range())) {
                // Parentheses around it are no part of the number, but of its place.
                Some(text) if text.trim_start_matches('-').starts_with("0x") => text.to_owned(),
                _ => value.to_string(),
            },
            ExprKind::Str(text) => Quoted(text).to_string(),
            ExprKind::Regex(regex) => slashed(regex),
            ExprKind::Word(text) | ExprKind::Type(text) => text.clone(),
            ExprKind::AttributeOf { name, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|item| self.sum(item)).collect();
                format!("#{}<{}>", name.item, arguments.join(", "))
            }
            ExprKind::Capture(inner) => capture(inner),
            ExprKind::Param(name) => format!("${{{}}}", name.item),
            ExprKind::Target(name) => format!("target.{}", name.item),
            ExprKind::Call(inner) => self.call(inner),
            ExprKind::List(items) => format!("[{}]", self.exprs(items)),
        }
    }

    pub(super) fn call(self, call: &Call) -> String {
        format!("{}({})", call.name.item, self.exprs(&call.arguments))
    }

    /// A message in quotes, with its holes.
    pub(super) fn quoted_text(self, text: &Text) -> String {
        let parts = text.parts.iter().map(|part| match part {
            TextPart::Literal(text) => escaped(text, "{}"),
            TextPart::Hole(inner) => format!("{{{}}}", self.expr(inner)),
        });
        format!("\"{}\"", parts.collect::<String>())
    }
}

/// A regular expression between slashes.
fn slashed(regex: &str) -> String {
    let mut result = "/".to_owned();
    let mut chars = regex.chars();
    while let Some(c) = chars.next() {
        match c {
            '/' => result.push_str("\\/"),
            '\\' => result.extend(['\\', chars.next().unwrap_or('\\')]),
            c => result.push(c),
        }
    }
    result.push('/');
    result
}

/// A string in quotes, with escapes where they are needed.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", escaped(self.0, ""))
    }
}

fn escaped(text: &str, more: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match c {
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            c if c == '"' || c == '\\' || more.contains(c) => result.extend(['\\', c]),
            c => result.push(c),
        }
    }
    result
}
