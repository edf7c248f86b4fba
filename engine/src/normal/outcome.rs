//! What a rule does: what it builds, and what becomes of the root.

use relo_grammar::span::Span;

use super::{BindingId, Term};

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Builds, then replaces or erases the root.
    Rewrite {
        /// What is built, in order.
        constructions: Vec<Construction>,
        /// What becomes of the root.
        root: RootFate,
    },
    /// A diagnostic at the root.
    Reject {
        /// The message in parts: text, or a binding to be shown.
        message: Vec<MessagePart>,
    },
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    /// As it stands.
    Text(String),
    /// A binding, shown.
    Binding(BindingId),
}

/// What becomes of the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootFate {
    /// Its results are replaced by these, one each, and it is erased.
    Replaced(Vec<BindingId>),
    /// It is erased; it has no results.
    Erased,
}

/// Something that is built. Terms in it are constants and bindings only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Construction {
    /// An operation without regions.
    Operation {
        /// Its full name.
        name: String,
        /// Its operands: values or lists of values.
        operands: Vec<Term>,
        /// Its attributes.
        attributes: Vec<(String, Term)>,
        /// Attributes taken over as they are, where not set by name.
        spread: Option<BindingId>,
        /// The types of its results.
        types: Vec<Term>,
        /// The bindings of its results.
        results: Vec<BindingId>,
        /// Where it stands.
        span: Span,
    },
    /// A symbol with contents of its own, in place of the root: what PDL can't build.
    Global {
        /// Its full name.
        name: String,
        /// Its symbol.
        symbol: Term,
        /// The type of its value.
        ty: Term,
        /// What it is initialised with; a declaration where absent.
        initializer: Option<Initializer>,
        /// Its attributes.
        attributes: Vec<(String, Term)>,
        /// Attributes taken over as they are, where not set by name.
        spread: Option<BindingId>,
        /// Its sites: offset and referent.
        sites: Vec<(Term, Term)>,
        /// Where it stands.
        span: Span,
    },
    /// A builder native.
    Builder {
        /// Its name.
        native: String,
        /// Its arguments, then the types after the colon.
        arguments: Vec<Term>,
        /// Its result.
        result: Option<BindingId>,
        /// Where it stands.
        span: Span,
    },
}

/// What a global is initialised with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initializer {
    /// Zeros.
    Zero,
    /// A word.
    Word(Term),
    /// The contents of the root.
    Contents,
    /// The contents of the root, with these words at its sites: a list of offset and word.
    Filled(Term),
}
