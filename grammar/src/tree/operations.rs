//! Operations, as they are matched and built.

use super::{Capture, Expr};
use crate::span::{Name, Span};

/// An operation, matched or built: `%w = llvm.load %p { volatile_ = false } : $T`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Captures of the results; empty where none is named.
    pub results: Vec<Capture>,
    /// The operation's full name.
    pub name: Name,
    /// Operands and the symbol operand, in the order written. In a match, no list at all means "any operands".
    pub operands: Option<Vec<Operand>>,
    /// `= zero`: what a global is initialised with (rewrites only).
    pub initializer: Option<Expr>,
    /// `{ … }`.
    pub attributes: Vec<Attribute>,
    /// `{ … }`'s place, for help that proposes to add one.
    pub attributes_span: Option<Span>,
    /// After the colon. In a match, none means "any types".
    pub types: Vec<Expr>,
    /// The whole line.
    pub span: Span,
}

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `%x`.
    Value(Capture),
    /// `_`: any one operand.
    Any(Span),
    /// `..%rest` captures the remaining operands, `..` ignores them.
    Rest(Option<Capture>, Span),
    /// `@g`, or in a rewrite a native that gives a symbol, as `slot($r)`: the operation's symbol attribute.
    Symbol(Expr),
    /// `(llvm.inttoptr %c)`: the single result of a nested operation.
    Nested(Box<Operation>),
}

/// One attribute of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `name = pattern`; a bare `name` is `name = true` for unit attributes.
    Is {
        /// The attribute's name, dots allowed.
        name: Name,
        /// `name? = …`: matches also where the attribute is absent.
        optional: bool,
        /// The pattern or value; `None` for the bare name.
        value: Option<Expr>,
    },
    /// `!name`: the attribute must be absent.
    Absent(Name),
    /// `..$rest`: the attributes not named (a dictionary); `..` says that they don't matter.
    Rest(Option<Capture>, Span),
}
