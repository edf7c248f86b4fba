//! The normal form of a rule: patterns over numbered bindings, then conditions, then constructions.
//!
//! Everything downstream reads this and nothing else: the PDL compiler, the evaluator, the documentation. Names
//! are resolved, fragments, families, parameters and target properties are expanded, and whatever can fail
//! stands in [`Rule::conditions`]: constructions only use what is bound.

use std::fmt;

use relo_grammar::span::{Source, Span};
use relo_grammar::tree::BinaryOp;

use crate::datum::Kind;

/// A step of the rewriting pipeline, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Host references become `reloc` operations.
    Lift,
    /// Symbolic simplification.
    Fold,
    /// `reloc` operations become the LLVM dialect.
    Lower,
    /// The target's last words.
    Finish,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Lift, Self::Fold, Self::Lower, Self::Finish];

    /// By the name that rule files use.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.name() == name)
    }

    /// The name that rule files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lift => "lift",
            Self::Fold => "fold",
            Self::Lower => "lower",
            Self::Finish => "finish",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

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
        /// Index into [`Rule::operations`].
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
