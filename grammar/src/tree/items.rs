//! A file and what stands at its top: rules, strategies, fragments, and what is said about them.

use super::{Capture, Expr, Match, Path, Rewrite, Test, Text, Where};
use crate::span::{Name, Span, Spanned};

/// One `*.relo` file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct File {
    /// `//!` lines, without the marker.
    pub doc: Vec<String>,
    /// Everything else, in the order it was written.
    pub items: Vec<Item>,
    /// What items declare that have mistakes in them: they are not among the items, and nobody need look for them.
    pub unread: Vec<String>,
}

/// A declaration at the top of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `pack numba`: the pack that the file belongs to.
    Pack(Name),
    /// `phase lift`: the phase of the rules that follow.
    Phase(Name),
    /// `use core`: another pack's fragments, strategies and parameters are visible here.
    Use(Name),
    /// `param prefix: string = "jl_"`.
    Param(Param),
    /// `disjoint is_declaration, is_definition` and `is_pointer implies is_word`.
    Fact(Fact),
    /// `fragment session_address(%p, $r) { … }`.
    Fragment(Fragment),
    /// `rule name { … }`.
    Rule(Rule),
    /// `strategy patch { … }`.
    Strategy(Strategy),
    /// `for $W in { i32, i64 } { … }`: the items once for each value.
    Family(Family<Item>),
    /// `prefer a over b because "…"`.
    Prefer(Prefer),
    /// `override core.patch.slot because "…" { … }`.
    Override(Override),
}

impl Item {
    /// The name that other items know it by.
    pub fn declares(&self) -> Option<&Name> {
        match self {
            Self::Param(param) => Some(&param.name),
            Self::Fragment(fragment) => Some(&fragment.name),
            Self::Rule(rule) => Some(&rule.name),
            Self::Strategy(strategy) => Some(&strategy.name),
            Self::Pack(_)
            | Self::Phase(_)
            | Self::Use(_)
            | Self::Fact(_)
            | Self::Family(_)
            | Self::Prefer(_)
            | Self::Override(_) => None,
        }
    }
}

/// A pack parameter: a constant that a target's `pack.yaml` may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// `///` lines.
    pub doc: Vec<String>,
    /// The name, used as `${name}`.
    pub name: Name,
    /// `string`, `int`, `bool` or `[string]`.
    pub kind: Name,
    /// The value where no target sets another; required where absent.
    pub default: Option<Expr>,
}

/// Something that holds of natives, which the checker may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// No arguments satisfy both.
    Disjoint(Name, Name),
    /// Whatever satisfies the first satisfies the second.
    Implies(Name, Name),
}

/// A named piece of pattern, expanded where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// `///` lines.
    pub doc: Vec<String>,
    /// The name.
    pub name: Name,
    /// The captures that the user of the fragment sees.
    pub parameters: Vec<Capture>,
    /// What it matches, where it is used in `match`.
    pub matches: Option<Match>,
    /// The conditions that go with the match.
    pub wheres: Option<Where>,
    /// What it builds, where it is used in `rewrite`.
    pub rewrite: Option<Rewrite>,
}

/// A rule: what it matches, under which conditions, and what it does then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// `///` lines.
    pub doc: Vec<String>,
    /// The name, unique in its pack (and strategy).
    pub name: Name,
    /// The pattern.
    pub matches: Match,
    /// The conditions.
    pub wheres: Option<Where>,
    /// What happens.
    pub outcome: Outcome,
    /// `drop` or `carry`: what becomes of the discardable attributes of the matched root. `carry` where absent.
    pub attributes: Option<Name>,
    /// The rule's own tests.
    pub tests: Vec<Test>,
    /// From the first to the last character, doc comments apart.
    pub span: Span,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `rewrite { … }`.
    Rewrite(Rewrite),
    /// `reject "…"`: a diagnostic at the root's location.
    Reject(Spanned<Text>),
}

/// How a site is delivered: what the loader does, and the rules that lower it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// `///` lines.
    pub doc: Vec<String>,
    /// The name.
    pub name: Name,
    /// `loader write`: the loader action of a site.
    pub loader: Option<Name>,
    /// `sites slot, record`: which kinds of site it can deliver.
    pub sites: Vec<Name>,
    /// `portable`: the artifact is valid in another session. The span is the keyword's.
    pub portable: Option<Span>,
    /// Rules and families inside, in the order written.
    pub items: Vec<Item>,
    /// From `strategy` to the closing brace.
    pub span: Span,
}

/// `for $W in { … } { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family<T> {
    /// The capture that stands for the value.
    pub variable: Capture,
    /// The values.
    pub values: Vec<Expr>,
    /// What is repeated.
    pub items: Vec<T>,
    /// From `for` to the closing brace.
    pub span: Span,
}

/// `prefer a over b because "…"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefer {
    /// The rule that wins.
    pub winner: Path,
    /// The rule that gives way.
    pub loser: Path,
    /// Why.
    pub because: Spanned<String>,
    /// The whole declaration.
    pub span: Span,
}

/// `override pack.rule because "…" { … }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// `///` lines.
    pub doc: Vec<String>,
    /// The rule of another pack that is replaced.
    pub target: Path,
    /// Why.
    pub because: Spanned<String>,
    /// The pattern.
    pub matches: Match,
    /// The conditions.
    pub wheres: Option<Where>,
    /// What happens instead.
    pub outcome: Outcome,
    /// The tests of the replacement.
    pub tests: Vec<Test>,
    /// From `override` to the closing brace.
    pub span: Span,
}
