//! The syntax tree of a rule file: what was written, with the place of every name.
//!
//! Nothing here is checked beyond its form; names are text. `docs/language.md` has an example of each.

use crate::span::{Name, Span, Spanned};

/// One `*.relo` file.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct File {
    /// `//!` lines, without the marker.
    pub doc: Vec<String>,
    /// Everything else, in the order it was written.
    pub items: Vec<Item>,
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
