//! The blocks of a rule: what it matches, under which conditions, what it builds.

use super::{Call, Capture, Expr, Operation};
use crate::span::Span;

/// `match { … }`: the last operation is the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The patterns, in order.
    pub patterns: Vec<MatchItem>,
    /// The block.
    pub span: Span,
}

/// One line of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchItem {
    /// An operation.
    Operation(Operation),
    /// `session_address(%p, $r)`: a fragment.
    Fragment(Call),
}

/// `where { … }`: clauses that must all hold, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Where {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The block.
    pub span: Span,
}

/// A clause of a `where`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// `$x = f(@g)`, `(@g, $offset) = constant_address(%p)`: holds where the right side has a value.
    Bind {
        /// The captures that are bound.
        captures: Vec<Capture>,
        /// Where the value comes from.
        value: Expr,
        /// The whole clause.
        span: Span,
    },
    /// A condition.
    Test(Expr),
}

/// `rewrite { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// The block.
    pub span: Span,
}

/// A statement of a rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Builds an operation; a result named as one of the root's replaces it.
    Build(Operation),
    /// `%w = cast %i : $T`, `%p = session_address($r)`: a native builder or fragment with a value as result.
    Call {
        /// The captures that are bound, or the root's results that are replaced.
        results: Vec<Capture>,
        /// The builder.
        call: Call,
        /// The types after the colon.
        types: Vec<Expr>,
    },
    /// `%a = %b`: the root's result is replaced by a value at hand.
    Replace(Capture, Capture, Span),
    /// `site @g + 8 = $r`: a site of the global just built.
    Site {
        /// The global.
        global: Expr,
        /// The byte offset.
        offset: Expr,
        /// The referent.
        referent: Expr,
        /// The whole statement.
        span: Span,
    },
    /// `erase`: the root goes away; `erase @g` a symbol.
    Erase(Option<Expr>, Span),
}
