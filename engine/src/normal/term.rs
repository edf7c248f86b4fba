//! Expressions over bindings.

use relo_grammar::tree::BinaryOp;

use super::BindingId;

/// An expression over bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i128),
    /// Text, or an enumerator's name.
    Str(String),
    /// A regular expression.
    Regex(Pattern),
    /// A type, as MLIR text.
    Type(String),
    /// A property that the target leaves out: an attribute with this value is not set.
    Absent,
    /// A binding.
    Binding(BindingId),
    /// A native.
    Call {
        /// Its name.
        native: String,
        /// Its arguments.
        arguments: Vec<Term>,
    },
    /// `#reloc.word<…>`: a referent built from its parts.
    Referent {
        /// `object`, `symbol` or `word`.
        kind: ReferentKind,
        /// The parts, in the dialect's order; optional ones [`Term::Absent`].
        parts: [Box<Term>; 3],
    },
    /// A list.
    List(Vec<Term>),
    /// Holds where the term does not.
    Not(Box<Term>),
    /// A binary operator.
    Binary(BinaryOp, Box<Term>, Box<Term>),
}

impl Term {
    /// Whether its value depends on a binding.
    pub fn mentions(&self, binding: BindingId) -> bool {
        match self {
            Self::Binding(mentioned) => *mentioned == binding,
            Self::Call { arguments: terms, .. } | Self::List(terms) => {
                terms.iter().any(|term| term.mentions(binding))
            }
            Self::Referent { parts, .. } => parts.iter().any(|part| part.mentions(binding)),
            Self::Not(term) => term.mentions(binding),
            Self::Binary(_, left, right) => left.mentions(binding) || right.mentions(binding),
            Self::Bool(_) | Self::Int(_) | Self::Str(_) | Self::Regex(_) | Self::Type(_) | Self::Absent => {
                false
            }
        }
    }
}

/// A regular expression, compiled once.
#[derive(Clone, Debug)]
pub struct Pattern(pub regex::Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

/// Which referent a term builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReferentKind {
    /// runtime, key, addend
    Object,
    /// name, addend, library
    Symbol,
    /// symbol, offset, library
    Word,
}
