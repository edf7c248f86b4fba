//! The normal form of a rule: patterns over numbered bindings, then conditions, then constructions.
//!
//! Everything downstream reads this and nothing else: the PDL compiler, the evaluator, the documentation. Names
//! are resolved, fragments, families, parameters and target properties are expanded, and whatever can fail
//! stands in [`Rule::conditions`]: constructions only use what is bound.

mod outcome;
mod pattern;
mod phase;
mod term;

use relo_grammar::span::{Source, Span};

use crate::datum::Kind;
pub use outcome::{Construction, Initializer, MessagePart, Outcome, RootFate};
pub use pattern::{
    AttributePattern, AttributeTest, OperandPattern, OperandsPattern, OperationPattern, RestPattern,
    TypePattern,
};
pub use phase::Phase;
pub use term::{Pattern, ReferentKind, Term};

/// Index into [`Rule::bindings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BindingId(pub usize);

/// Something that has a value while a rule is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The capture as written, sigil included; empty for what the compiler introduced.
    pub name: String,
    /// What is known of its kind.
    pub kind: Kind,
    /// Where it is bound.
    pub span: Span,
}

/// A rule, expanded and checked.
#[derive(Clone, Debug)]
pub struct Rule {
    /// `pack.rule` or `pack.strategy.rule`, with a family's value in brackets.
    pub path: String,
    /// The pack whose file it stands in: an override's own.
    pub pack: String,
    /// The phase it runs in.
    pub phase: Phase,
    /// The strategy whose sites it lowers: the root must carry it.
    pub strategy: Option<String>,
    /// The file it stands in.
    pub source: Source,
    /// The place of its name.
    pub span: Span,
    /// What the rule binds.
    pub bindings: Vec<Binding>,
    /// The operations, each after those that define its operands; the last is the root.
    pub operations: Vec<OperationPattern>,
    /// What must hold besides, in order.
    pub conditions: Vec<Condition>,
    /// What happens then.
    pub outcome: Outcome,
    /// Whether the root's discardable attributes go over to what replaces it.
    pub carry_attributes: bool,
    /// BLAKE3 of the normal form, in hex: equal for rules that differ in format and comments only.
    pub digest: String,
    /// The same of what it asks, whatever it does then.
    pub matching: String,
}

impl Rule {
    /// The path that `prefer` and `override` use: without a family's values.
    pub fn base_path(&self) -> &str {
        self.path.split('[').next().unwrap_or(&self.path)
    }

    /// The operation that the rule is about.
    pub fn root(&self) -> &OperationPattern {
        self.operations.last().expect("the normaliser refuses empty matches")
    }
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The term has a value, which is bound; several bindings take the several results of a native.
    Bind {
        /// What is bound; `None` for `_`.
        bindings: Vec<Option<BindingId>>,
        /// The value.
        term: Term,
        /// Where it stands.
        span: Span,
    },
    /// The rest of the conditions hold for one member of the list: each is tried, in order.
    Each {
        /// The member.
        binding: BindingId,
        /// The list.
        list: Term,
        /// Where it stands.
        span: Span,
    },
    /// The term has a value, and it isn't `false`.
    Test {
        /// The term.
        term: Term,
        /// Where it stands.
        span: Span,
    },
}

impl Condition {
    /// Whether it depends on a binding.
    pub fn mentions(&self, binding: BindingId) -> bool {
        match self {
            Self::Bind { term, .. } | Self::Test { term, .. } => term.mentions(binding),
            Self::Each { list, .. } => list.mentions(binding),
        }
    }
}
