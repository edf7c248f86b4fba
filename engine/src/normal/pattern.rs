//! What a rule matches: operations with operands, attributes and types.

use relo_grammar::span::Span;

use super::{BindingId, Term};

/// An operation to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationPattern {
    /// Its full name.
    pub name: String,
    /// Its operands.
    pub operands: OperandsPattern,
    /// Its attributes, in the order written.
    pub attributes: Vec<AttributePattern>,
    /// The attributes not named, as a dictionary.
    pub rest: Option<BindingId>,
    /// The bindings of its results; `None` for one that nothing names.
    pub results: Vec<Option<BindingId>>,
    /// The types of its results; empty where any will do.
    pub types: Vec<TypePattern>,
    /// Where it stands.
    pub span: Span,
}

/// The operands of an operation to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandsPattern {
    /// Whatever they are.
    Any,
    /// These, and nothing more unless `rest` says so.
    List {
        /// One each, in order.
        fixed: Vec<OperandPattern>,
        /// What follows them.
        rest: RestPattern,
    },
}

/// One operand to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandPattern {
    /// Whatever it is.
    Any,
    /// Bound here; must be the same value where it is bound already.
    Bind(BindingId),
    /// A result of an earlier operation of the pattern.
    ResultOf {
        /// Index into [`Rule::operations`](super::Rule::operations).
        operation: usize,
        /// Which of its results.
        result: usize,
    },
}

/// What may follow the operands that are written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestPattern {
    /// Nothing.
    None,
    /// Anything.
    Ignored,
    /// Anything, as a list.
    Bind(BindingId),
}

/// An attribute to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributePattern {
    /// Its name.
    pub name: String,
    /// What it has to be.
    pub test: AttributeTest,
    /// The place of its name.
    pub span: Span,
}

/// What an attribute has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeTest {
    /// There, whatever it is.
    Present,
    /// Not there.
    Absent,
    /// There or not: it does not matter.
    Ignored,
    /// There, and bound; the same as before where it is bound already.
    Bind(BindingId),
    /// Bound where it is there.
    BindOptional(BindingId),
    /// There, and equal to the term.
    Equals(Term),
    /// Equal to the term, or absent.
    EqualsOrAbsent(Term),
}

/// A result's type to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypePattern {
    /// Whatever it is.
    Any,
    /// Bound here; must be the same type where it is bound already.
    Bind(BindingId),
    /// This type.
    Equals(Term),
}
