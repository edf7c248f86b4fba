//! Errors of the command line itself.

use miette::Diagnostic;

/// Any error of a subcommand.
pub type Failure = Box<dyn Diagnostic + Send + Sync>;

/// Errors that have to do with files and arguments.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum CliError {
    /// A file can't be read.
    #[error("can't read `{path}`: {reason}")]
    #[diagnostic(code("relo::cli::read"))]
    Read {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// A file can't be written.
    #[error("can't write `{path}`: {reason}")]
    #[diagnostic(code("relo::cli::write"), help("nothing was written"))]
    Write {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// An argument that is not of its form.
    #[error("{message}")]
    #[diagnostic(code("relo::cli::argument"))]
    Argument {
        /// What is wrong.
        message: String,
        /// What to write.
        #[help]
        help: String,
    },
    /// Something of the session is left in the artifact.
    #[error("the artifact is not portable: {} of the session's references are left in it\n{list}", .count)]
    #[diagnostic(
        severity(Warning),
        code("relo::compile::leak"),
        help(
            "no rule lifts these: load a pack of the front end with --use, say in the session table what they are, or write a rule"
        )
    )]
    Leaks {
        /// How many.
        count: usize,
        /// Where.
        list: String,
    },
    /// An artifact that depends on addresses all the same.
    #[error("the artifact is not kept: from another session's addresses another one is made")]
    #[diagnostic(
        severity(Warning),
        code("relo::cache::bound"),
        help(
            "an address of the session is used for its value; it was written, and is valid as far as it says"
        )
    )]
    Bound,
    /// Functions that were left out.
    #[error("{count} functions are left out\n{list}")]
    #[diagnostic(
        severity(Warning),
        code("relo::compile::dropped"),
        help("the host has to compile these by itself")
    )]
    Dropped {
        /// How many.
        count: usize,
        /// Which, and why.
        list: String,
    },
    /// Functions that the rules did not see.
    #[error("the rules don't see {} functions, which MLIR can't carry\n{list}", .count)]
    #[diagnostic(severity(Warning), code("relo::compile::unseen"), help("they are compiled as they are"))]
    Unseen {
        /// How many.
        count: usize,
        /// Which, and why.
        list: String,
    },
    /// Nothing is at the place that was asked about.
    #[error("nothing of the module is at `{place}`")]
    #[diagnostic(
        code("relo::trace::nowhere"),
        help(
            "a symbol is written @NAME, a value as `relo trace` names it @NAME:%VALUE; LLVM IR has lines only where it has \
             debug information"
        )
    )]
    Nowhere {
        /// The place.
        place: String,
    },
    /// A run of no test says nothing.
    #[error("no test was run")]
    #[diagnostic(
        code("relo::test::none"),
        help(
            "write `test \"…\" {{ … }}` in a rule, or a module in the pack's `tests/`; `--filter` may fit none"
        )
    )]
    NoTests,
    /// Tests about which something has to be done.
    #[error("{tally}")]
    #[diagnostic(
        code("relo::test::failed"),
        help("`relo test --review` asks about each new or changed result, `--accept` takes them all")
    )]
    Tests {
        /// How they came out.
        tally: relo_trial::Tally,
    },
    /// Findings of the checker.
    #[error("{count} finding{}", if *.count == 1 { "" } else { "s" })]
    #[diagnostic(code("relo::check"))]
    Findings {
        /// How many.
        count: usize,
        /// All of them.
        #[related]
        findings: Vec<relo_engine::Finding>,
    },
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// With the system's reason.
pub fn read(path: &std::path::Path) -> Result<Vec<u8>, CliError> {
    let fail = |error: std::io::Error| CliError::Read {
        path: path.display().to_string(),
        reason: error.to_string(),
    };
    if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).map_err(fail)?;
        return Ok(bytes);
    }
    std::fs::read(path).map_err(fail)
}

/// Reads a text file.
///
/// # Errors
/// With the system's reason, or when it is not UTF-8.
pub fn read_text(path: &std::path::Path) -> Result<String, CliError> {
    String::from_utf8(read(path)?)
        .map_err(|_| CliError::Read { path: path.display().to_string(), reason: "it is not UTF-8".into() })
}
