//! Why modules can't be one.

/// An error of linking: each names the inputs that it is about.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum LinkError {
    /// No input at all.
    #[error("there is nothing to link")]
    #[diagnostic(code("relo::link::nothing"))]
    Nothing,
    /// Modules for different machines.
    #[error("`{first}` is for {wanted}, and `{second}` for {found}")]
    #[diagnostic(code("relo::link::machine"), help("link modules of one triple and data layout"))]
    Machine {
        /// An input.
        first: String,
        /// Another.
        second: String,
        /// The first one's triple or layout.
        wanted: String,
        /// The other's.
        found: String,
    },
    /// Two inputs say different things of the words of one global.
    #[error("`{symbol}` is {one} in `{first}`, and {other} in `{second}`")]
    #[diagnostic(
        code("relo::link::conflict"),
        help("rename one of them: a name means one thing in a program")
    )]
    Conflict {
        /// The global.
        symbol: String,
        /// An input.
        first: String,
        /// What it says.
        one: String,
        /// Another input.
        second: String,
        /// What that says.
        other: String,
    },
    /// A global that one input relocates, and another knows nothing of.
    #[error("`{symbol}` is {one} in `{first}`, and `{second}` has it without a site")]
    #[diagnostic(
        code("relo::link::missing"),
        help("a tool dropped `!reloc.sites` from the second module, or it uses the name for something else")
    )]
    Missing {
        /// The global.
        symbol: String,
        /// The input with the site.
        first: String,
        /// What it says.
        one: String,
        /// The input without.
        second: String,
    },
    /// Two definitions whose contents differ beside the words to relocate.
    #[error("`{symbol}` has other contents in `{first}` than in `{second}`")]
    #[diagnostic(code("relo::link::contents"), help("rename one of them: only equal records are merged"))]
    Contents {
        /// The record.
        symbol: String,
        /// An input.
        first: String,
        /// Another.
        second: String,
    },
    /// Sites inside something that no input defines.
    #[error("`{input}` relocates words inside `{symbol}`, which no input defines")]
    #[diagnostic(code("relo::link::undefined"), help("link the module that defines it, too"))]
    Undefined {
        /// The record.
        symbol: String,
        /// The input.
        input: String,
    },
    /// A site that its global has no place for.
    #[error("the site at byte {offset} of `{symbol}` in `{input}` is outside it")]
    #[diagnostic(code("relo::link::site"), help("the module's `!reloc.sites` are wrong: see its producer"))]
    Site {
        /// The global.
        symbol: String,
        /// The input.
        input: String,
        /// The offset.
        offset: u64,
    },
    /// A site whose place in a table is decided already.
    #[error("`{symbol}` in `{input}` has its place in a table already")]
    #[diagnostic(
        code("relo::link::planned"),
        help("link first and compile then: two modules' tables can't be one")
    )]
    Planned {
        /// The global.
        symbol: String,
        /// The input.
        input: String,
    },
    /// LLVM's linker refuses.
    #[error("LLVM can't link `{name}`: {message}")]
    #[diagnostic(code("relo::link::llvm"))]
    Refused {
        /// The input that it came to.
        name: String,
        /// What LLVM says.
        message: String,
    },
}
