//! A rule's own tests.

use crate::span::{Span, Spanned};

/// `test "name" unchanged { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name, unique in its rule.
    pub name: Spanned<String>,
    /// What must come out.
    pub expectation: Expectation,
    /// The module, MLIR text as written between the braces.
    pub input: Spanned<String>,
    /// The whole block.
    pub span: Span,
}

/// What a test expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The rule fires; the result is a snapshot.
    Snapshot,
    /// `unchanged`: a near miss, the rule must not fire.
    Unchanged,
    /// `rejects`, or `rejects "text"`: a diagnostic that contains the text.
    Rejects(Option<Spanned<String>>),
    /// `todo`: known not to work yet.
    Todo,
}
