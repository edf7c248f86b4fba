//! Puts operands and operators, read in turn, together: `or` < `and` < `not` < comparisons < sums.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::brackets::{DEEPEST, too_deep};
use crate::error::SyntaxError;
use crate::span::Span;
use crate::tree::{BinaryOp, Expr, ExprKind};

/// What an expression is read as, before it is known what belongs to what.
pub(crate) enum Part {
    /// An operand, with the number of levels below it.
    Operand(Expr, usize),
    Operator(BinaryOp, Span),
    Not(Span),
}

/// How tightly an operator binds. `not` stands between 2 and 4.
pub(crate) fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Add | BinaryOp::Subtract => 5,
        _ => COMPARISON,
    }
}

/// The strength of comparisons.
pub(crate) const COMPARISON: u8 = 4;

/// The expression of some parts and its depth.
pub(crate) fn put_together(parts: Vec<Part>, errors: &mut Vec<SyntaxError>) -> Option<(Expr, usize)> {
    let mut climber = Climber { parts: parts.into_iter().peekable(), errors };
    climber.joined(1)
}

struct Climber<'e> {
    parts: Peekable<IntoIter<Part>>,
    errors: &'e mut Vec<SyntaxError>,
}

impl Climber<'_> {
    /// Operands joined by operators of one strength, left to right; each level asks the next tighter one.
    fn joined(&mut self, level: u8) -> Option<(Expr, usize)> {
        let (mut left, mut depth) = self.tighter(level)?;
        let mut compared: Option<Span> = None;
        while let Some((op, span)) = self.operator(level) {
            let (right, right_depth) = self.tighter(level)?;
            if level == COMPARISON
                && let Some(first) = compared.replace(span)
            {
                self.errors.push(
                    SyntaxError::new("relo::syntax::chain", span, "comparisons don't chain")
                        .label("a second comparison")
                        .also(first, "the first one")
                        .help("write two, joined by `and`"),
                );
                return None;
            }
            depth = depth.max(right_depth) + 1;
            let whole = left.span.to(right.span);
            if depth > DEEPEST {
                self.errors.push(too_deep(span));
                return None;
            }
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span: whole };
        }
        Some((left, depth))
    }

    fn tighter(&mut self, level: u8) -> Option<(Expr, usize)> {
        match level {
            1 => self.joined(2),
            2 => self.negated(),
            COMPARISON => self.joined(5),
            _ => self.operand(),
        }
    }

    fn operator(&mut self, level: u8) -> Option<(BinaryOp, Span)> {
        match self.parts.next_if(|part| matches!(part, Part::Operator(op, _) if strength(*op) == level)) {
            Some(Part::Operator(op, span)) => Some((op, span)),
            _ => None,
        }
    }

    fn negated(&mut self) -> Option<(Expr, usize)> {
        let mut negations = Vec::new();
        while let Some(Part::Not(span)) = self.parts.next_if(|part| matches!(part, Part::Not(_))) {
            negations.push(span);
        }
        let (mut inner, depth) = self.joined(COMPARISON)?;
        let depth = depth + negations.len();
        if let Some(first) = negations.first()
            && depth > DEEPEST
        {
            self.errors.push(too_deep(*first));
            return None;
        }
        for span in negations.into_iter().rev() {
            let whole = span.to(inner.span);
            inner = Expr { kind: ExprKind::Not(Box::new(inner)), span: whole };
        }
        Some((inner, depth))
    }

    fn operand(&mut self) -> Option<(Expr, usize)> {
        match self.parts.next()? {
            Part::Operand(expr, depth) => Some((expr, depth)),
            Part::Not(span) => {
                self.errors.push(
                    SyntaxError::new(
                        "relo::syntax::operator",
                        span,
                        "`not` can't stand inside a comparison or a sum",
                    )
                    .label("it binds looser than what is before it")
                    .help("put it in parentheses with what it negates: `(not …)`"),
                );
                None
            }
            Part::Operator(..) => None,
        }
    }
}
