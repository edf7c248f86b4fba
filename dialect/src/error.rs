//! What can go wrong at the MLIR edge.

use relo_engine::Location;
use relo_referent::Referent;

use crate::context::MlirDiagnostic;

/// An error at the MLIR edge.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum DialectError {
    /// Input that MLIR can't read.
    #[error("`{name}` is not a valid MLIR module\n{}", list(.diagnostics))]
    #[diagnostic(
        code("relo::dialect::parse"),
        help("relo reads the LLVM, NVVM, ROCDL and reloc dialects: lower the others first")
    )]
    Parse {
        /// What the input is called.
        name: String,
        /// What MLIR says.
        diagnostics: Vec<MlirDiagnostic>,
        /// The text; empty for bytecode.
        #[source_code]
        source_code: miette::NamedSource<String>,
        /// The place.
        #[label("here")]
        at: Option<miette::SourceSpan>,
    },
    /// A module that does not verify.
    #[error("the module is invalid {when}\n{}", list(.diagnostics))]
    #[diagnostic(
        code("relo::dialect::invalid"),
        help("a rule built this: the place names it; `--print-after` shows the module")
    )]
    Invalid {
        /// After which step.
        when: String,
        /// What MLIR says.
        diagnostics: Vec<MlirDiagnostic>,
    },
    /// A rule that builds what does not verify.
    #[error("rule `{rule}` makes an invalid `{operation}` of {place}: {message}")]
    #[diagnostic(
        code("relo::rule::invalid"),
        help("the operation's own rules are MLIR's: the dialect's reference has them")
    )]
    Built {
        /// The rule.
        rule: String,
        /// The operation that it made, or whose operands it changed.
        operation: String,
        /// Where what it was made of comes from.
        place: String,
        /// What MLIR says.
        message: String,
        /// The rule's file.
        #[source_code]
        source_code: miette::NamedSource<String>,
        /// The rule's part in it.
        part: &'static str,
        /// Where that stands.
        #[label("{part}")]
        at: miette::SourceSpan,
        /// The other invalid operations.
        #[related]
        others: Vec<DialectError>,
    },
    /// A rule that was checked with natives which are not there now.
    #[error("rule `{rule}` calls `{native}`, which is no native here, or takes other arguments")]
    #[diagnostic(
        code("relo::dialect::native"),
        help(
            "check the rules with the signatures of the natives that they run with: those of `Surroundings::natives`"
        )
    )]
    Native {
        /// The rule.
        rule: String,
        /// The native.
        native: String,
    },
    /// LLVM IR that MLIR can't import.
    #[error("MLIR can't import this\n{}", list(.diagnostics))]
    #[diagnostic(code("relo::dialect::import"))]
    Import {
        /// What MLIR says.
        diagnostics: Vec<MlirDiagnostic>,
    },
    /// A module that can't be translated to LLVM IR.
    #[error("this can't be translated to LLVM IR\n{}", list(.diagnostics))]
    #[diagnostic(
        code("relo::dialect::export"),
        help("what is left of reloc needs a rule of the phase `lower`, for the strategy that was planned")
    )]
    Export {
        /// What MLIR says.
        diagnostics: Vec<MlirDiagnostic>,
    },
    /// Rules whose PDL MLIR refuses.
    #[error("the rules of phase `{phase}` don't compile to PDL\n{}", list(.diagnostics))]
    #[diagnostic(code("relo::dialect::pdl"), help("`relo rules --pdl` prints what was generated"))]
    Pdl {
        /// The phase.
        phase: String,
        /// What MLIR says.
        diagnostics: Vec<MlirDiagnostic>,
    },
    /// A rule asks for an attribute that its value does not fit.
    #[error("rule `{rule}`: {message}")]
    #[diagnostic(code("relo::dialect::attribute"))]
    Attribute {
        /// The rule.
        rule: String,
        /// What does not fit.
        message: String,
    },
    /// Rules that reject what they found.
    #[error("the rules refuse this input\n{}", rejections(.0))]
    #[diagnostic(
        code("relo::rule::reject"),
        help("the rule says what to do; `relo check` and its doc comment say why")
    )]
    Rejected(Vec<Rejection>),
    /// Referents that have to be known when compiling, and aren't.
    #[error("these can't be resolved when compiling: {}", referents(.0))]
    #[diagnostic(
        code("relo::rule::unresolved"),
        help("name the library with `--load`, or choose a strategy that leaves them to the loader")
    )]
    Unresolved(Vec<Referent>),
    /// A phase that does not come to an end.
    #[error("phase `{phase}` does not end: {} rewrite each other's results", .rules.join(", "))]
    #[diagnostic(
        code("relo::rule::endless"),
        help("a rule has to make something that no rule of its phase takes back")
    )]
    Endless {
        /// The phase.
        phase: String,
        /// The rules that fired last.
        rules: Vec<String>,
    },
    /// A site that no strategy delivers.
    #[error("nothing delivers #reloc.{referent} in `{symbol}`: {reason}")]
    #[diagnostic(code("relo::plan::no_strategy"))]
    Plan {
        /// The slot or record.
        symbol: String,
        /// The referent.
        referent: Box<Referent>,
        /// Why.
        reason: String,
        /// What would.
        #[help]
        help: String,
    },
    /// A symbol of the input that has the name of something that relo makes.
    #[error("`{symbol}` is defined here, and is the name of {what}")]
    #[diagnostic(
        code("relo::name::taken"),
        help("rename it: these names end in a hash of what they stand for, and belong to relo")
    )]
    Taken {
        /// The symbol.
        symbol: String,
        /// What relo would make under this name.
        what: String,
    },
    /// A panic or failure in a native, which C++ can't be told about.
    #[error("rule `{rule}` broke while building: {message}")]
    #[diagnostic(code("relo::rule::broken"), help("this is a mistake in relo or in a native of yours"))]
    Broken {
        /// The rule.
        rule: String,
        /// What happened.
        message: String,
    },
}

/// A rule that rejected an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The rule.
    pub rule: String,
    /// Its message, holes filled.
    pub message: String,
    /// Where the operation comes from.
    pub place: Location,
    /// The function or global that it is in, or is.
    pub symbol: String,
    /// The strategies that would deliver it instead, for whoever knows the target.
    pub instead: Vec<String>,
}

fn list(diagnostics: &[MlirDiagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| format!("  {diagnostic}")).collect::<Vec<_>>().join("\n")
}

fn rejections(rejections: &[Rejection]) -> String {
    let lines = rejections.iter().map(|one| format!("  {}: {} ({})", one.place, one.message, one.rule));
    let mut text = lines.collect::<Vec<_>>().join("\n");
    // What delivers all of it.
    let lists = rejections.iter().map(|one| &one.instead).filter(|instead| !instead.is_empty());
    let all = lists.cloned().reduce(|mut all, list| {
        all.retain(|name| list.contains(name));
        all
    });
    if let Some(names) = all.filter(|names| !names.is_empty()) {
        let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        text += &format!("\nthese would, for this target: {names}");
    }
    text
}

fn referents(referents: &[Referent]) -> String {
    referents.iter().map(|referent| format!("#reloc.{referent}")).collect::<Vec<_>>().join(", ")
}
