//! Captures, conditions, values and types; texts with holes.

use crate::span::{Name, Span, Spanned};

/// `core.patch.slot`.
pub type Path = Spanned<Vec<Name>>;

/// Which namespace a capture is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sigil {
    /// `%x`: a value.
    Value,
    /// `@x`: a symbol.
    Symbol,
    /// `$x`: any other compile-time data.
    Data,
}

/// `%x`, `@x` or `$x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The namespace.
    pub sigil: Sigil,
    /// The name without its sigil.
    pub name: Name,
}

/// An expression: a condition, a value or a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// `_`.
    Any,
    /// `true`, `false`.
    Bool(bool),
    /// `8`, `-8`, `0x40`.
    Int(i128),
    /// `"text"`, with `{$x}` holes only where a [`Text`] is expected.
    Str(String),
    /// `/regex/`.
    Regex(String),
    /// A bare word: an enumerator (`weak_odr`), `zero`, `word`, a type without `!` (`i64`, `ptr`), a unit.
    Word(String),
    /// `!llvm.ptr<1>`: an MLIR type, as text.
    Type(String),
    /// `#reloc.word<@g + $offset, ${library}>`: an attribute built from parts.
    AttributeOf {
        /// `reloc.word`.
        name: Name,
        /// What stands between the angle brackets.
        arguments: Vec<Expr>,
    },
    /// `%x`, `@x`, `$x`.
    Capture(Capture),
    /// `${param}`.
    Param(Name),
    /// `target.global_space`.
    Target(Name),
    /// `f(a, b)`.
    Call(Call),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `not e`.
    Not(Box<Expr>),
    /// `a and b`, `n + 8`, `s starts_with "x"`, …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// The binary operators, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    /// `or`
    Or,
    /// `and`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `in`: membership; with an unbound capture on the left, each member in turn.
    In,
    /// `starts_with`
    StartsWith,
    /// `ends_with`
    EndsWith,
    /// `contains`
    Contains,
    /// `matches`: a regular expression
    Matches,
    /// `+`
    Add,
    /// `-`
    Subtract,
}

impl BinaryOp {
    /// As it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
            Self::Contains => "contains",
            Self::Matches => "matches",
            Self::Add => "+",
            Self::Subtract => "-",
        }
    }
}

/// `f(a, b)` or `target.table_base()`: a native or a fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name; two parts where it is the target's.
    pub name: Name,
    /// The arguments.
    pub arguments: Vec<Expr>,
    /// The whole call.
    pub span: Span,
}

/// Text with holes: `"`{$r}` is deferred"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The parts, in order.
    pub parts: Vec<TextPart>,
}

/// A part of a [`Text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// As it stands.
    Literal(String),
    /// `{$x}`, `{@g}` or `{name(@g)}`.
    Hole(Expr),
}
