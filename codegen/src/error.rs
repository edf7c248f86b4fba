//! What can go wrong at the LLVM edge.

use miette::{NamedSource, SourceSpan};
use relo_dialect::DialectError;
use relo_engine::RuleSetError;

use crate::link::LinkError;

/// An error on the way from input to artifact.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum CodegenError {
    /// Input that is no LLVM IR.
    #[error("`{name}` is not valid LLVM IR: {message}")]
    #[diagnostic(
        code("relo::input::llvm"),
        help("relo reads LLVM 22's IR and bitcode, and what older LLVMs wrote")
    )]
    Parse {
        /// What the input is called.
        name: String,
        /// What LLVM says.
        message: String,
        /// The text; empty for bitcode.
        #[source_code]
        source_code: NamedSource<String>,
        /// The place.
        #[label("here")]
        at: Option<SourceSpan>,
    },
    /// Input for another machine.
    #[error("`{name}` is for {found}, and target `{target}` for {wanted}")]
    #[diagnostic(
        code("relo::input::triple"),
        help("choose another target, or compile the input for this one")
    )]
    Triple {
        /// What the input is called.
        name: String,
        /// Its triple.
        found: String,
        /// The target.
        target: String,
        /// The target's triple.
        wanted: String,
    },
    /// LLVM knows no such target.
    #[error("LLVM knows no target `{triple}`: {message}")]
    #[diagnostic(code("relo::codegen::triple"), help("the target's `triple` in its pack.yaml is wrong"))]
    UnknownTriple {
        /// The triple.
        triple: String,
        /// What LLVM says.
        message: String,
    },
    /// The kind of artifact is unknown.
    #[error("there is no kind of artifact `{name}`")]
    #[diagnostic(code("relo::codegen::emit"))]
    Emit {
        /// As asked for.
        name: String,
        /// The kinds there are.
        #[help]
        help: String,
    },
    /// A kind of artifact that the target does not have.
    #[error("target `{target}` makes no {kind}")]
    #[diagnostic(code("relo::codegen::emit"))]
    NotEmitted {
        /// The target.
        target: String,
        /// As asked for.
        kind: String,
        /// The kinds there are.
        #[help]
        help: String,
    },
    /// An entry that is not there.
    #[error("`{name}` has no function `{entry}` to keep")]
    #[diagnostic(code("relo::codegen::entry"))]
    Entry {
        /// What the input is called.
        name: String,
        /// The function.
        entry: String,
        /// The functions there are.
        #[help]
        help: String,
    },
    /// Something of a touched function that MLIR can't carry and nothing could put back.
    #[error("this can't be carried through the rules: {what}")]
    #[diagnostic(
        code("relo::codegen::cannot_carry"),
        help("lift before the front end adds it, or keep the host reference out of this function")
    )]
    CannotCarry {
        /// What and where.
        what: String,
    },
    /// A function that would be left out, and is needed.
    #[error("the functions that rules refuse can't be left out: {what}")]
    #[diagnostic(
        code("relo::codegen::confine"),
        help(
            "what others see, or what runs by itself, would be incomplete: lift the host reference by a rule"
        )
    )]
    Confine {
        /// What needs which.
        what: String,
    },
    /// A name that the target does not accept.
    #[error("target `{target}` accepts no symbol named `{symbol}`")]
    #[diagnostic(code("relo::codegen::name"), help("names match /{pattern}/ as a whole: rename the symbol"))]
    Name {
        /// The target.
        target: String,
        /// The symbol.
        symbol: String,
        /// What names look like.
        pattern: String,
    },
    /// A site that its global does not have.
    #[error("the site at byte {offset} of `{symbol}` is outside it")]
    #[diagnostic(code("relo::codegen::site"), help("the module's `reloc.sites` are wrong: see its producer"))]
    Site {
        /// The global.
        symbol: String,
        /// The offset.
        offset: u64,
    },
    /// A site that LLVM left out.
    #[error("LLVM left `{symbol}` out of the artifact")]
    #[diagnostic(
        code("relo::codegen::left_out"),
        help("its SPIR-V back end writes the variables of a module only when it has a function: add one")
    )]
    LeftOut {
        /// The site's symbol.
        symbol: String,
    },
    /// A number that stands for a word and for something of the input.
    #[error(
        "specialisation constant {number} is `{symbol}`'s, and the input has one of its own under that number"
    )]
    #[diagnostic(
        code("relo::codegen::number"),
        help("number the input's own constants from another start, or choose another strategy")
    )]
    Number {
        /// The slot.
        symbol: String,
        /// The number.
        number: u64,
    },
    /// A table that can't be handed over.
    #[error("the table `{table}` is an argument of kernels here: {reason}")]
    #[diagnostic(
        code("relo::codegen::argument"),
        help(
            "keep the kernels with --entry, which makes everything else internal; or choose another strategy"
        )
    )]
    Argument {
        /// The table.
        table: String,
        /// What is against it.
        reason: String,
    },
    /// An entry of `!reloc.sites` that says nothing.
    #[error("entry {entry} of `!reloc.sites` is malformed")]
    #[diagnostic(
        code("relo::codegen::sites"),
        help("an entry is a global, offset, width, referent, strategy and index: see its producer")
    )]
    Entries {
        /// Which, from 0.
        entry: usize,
    },
    /// Modules that can't be one.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Link(#[from] LinkError),
    /// A site that is left to a later compilation, in an artifact that can't be compiled again.
    #[error("`{symbol}` is still to be relocated in the IR, and a {kind} holds no IR")]
    #[diagnostic(
        code("relo::codegen::deferred"),
        help("emit llvm or bitcode and compile that later, or choose a strategy that the loader can do")
    )]
    Deferred {
        /// The slot.
        symbol: String,
        /// The kind of artifact.
        kind: String,
    },
    /// LLVM failed.
    #[error("LLVM can't {step}: {message}")]
    #[diagnostic(code("relo::codegen::llvm"))]
    Llvm {
        /// What it was to do.
        step: String,
        /// What it says.
        message: String,
    },
    /// LLVM gave up.
    #[error("LLVM can't {step}: {message}")]
    #[diagnostic(
        code("relo::codegen::fatal"),
        help("its back end has no code for something in the input: compile that part for another target")
    )]
    Fatal {
        /// What it was to do.
        step: &'static str,
        /// What it says.
        message: String,
    },
    /// LLVM crashed.
    #[error("LLVM crashed while compiling this: {signal}")]
    #[diagnostic(
        code("relo::codegen::crash"),
        help(
            "nothing was written; an input that `opt -passes=verify` accepts and that does this is LLVM's bug"
        )
    )]
    Crashed {
        /// The signal that ended it.
        signal: String,
    },
    /// A processor or feature that LLVM does not know for the target.
    #[error("target `{target}` has no {what} `{name}`")]
    #[diagnostic(code("relo::codegen::cpu"))]
    Processor {
        /// The target.
        target: String,
        /// Processor or feature.
        what: &'static str,
        /// As asked for.
        name: String,
        /// Names that exist.
        #[help]
        help: String,
    },
    /// A pack's folder that can't be read.
    #[error("can't read the packs in `{path}`: {message}")]
    #[diagnostic(
        code("relo::pack::read"),
        help("--rules takes a pack's folder, or a folder of such folders")
    )]
    Packs {
        /// The folder.
        path: String,
        /// Why.
        message: String,
    },
    /// The MLIR edge.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dialect(#[from] DialectError),
    /// The rules.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rules(#[from] RuleSetError),
}
