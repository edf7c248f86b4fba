//! Why an artifact can't be loaded or called.

use relo_referent::Referent;

/// A referent that no resolver knows, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The referent.
    pub referent: Referent,
    /// Why.
    pub reason: String,
}

/// Loading or calling failed; nothing was written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum LoadError {
    /// The artifact can't be read.
    #[error("can't read `{path}`: {reason}")]
    #[diagnostic(code("relo::load::read"))]
    Read {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// The artifact is not the one that the manifest is about.
    #[error("the artifact is not the one of its manifest: {what}")]
    #[diagnostic(
        code("relo::load::hash"),
        help("one of the two was altered or replaced: compile again, and keep them together")
    )]
    Hash {
        /// What differs.
        what: String,
    },
    /// This loader does not load such artifacts.
    #[error("this loader loads no {what}")]
    #[diagnostic(
        code("relo::load::unsupported"),
        help("it loads shared objects for this machine, by dlopen")
    )]
    Unsupported {
        /// What it is.
        what: String,
    },
    /// A site that the artifact does not have.
    #[error("the manifest's site in `{symbol}` at byte {offset} is not in the artifact: {reason}")]
    #[diagnostic(code("relo::load::site"), help("nothing was written: the manifest is not to be trusted"))]
    Site {
        /// The global.
        symbol: String,
        /// The offset.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// Referents that this session does not know.
    #[error("{} of the artifact's referents can't be resolved here:\n{}", .0.len(), list(.0))]
    #[diagnostic(
        code("relo::load::unresolved"),
        help("nothing was written; give a resolver that knows them, or allow the library that has them")
    )]
    Unresolved(Vec<Unresolved>),
    /// The system's linker refuses the artifact.
    #[error("the dynamic linker refuses the artifact: {reason}")]
    #[diagnostic(code("relo::load::link"))]
    Link {
        /// Its reason.
        reason: String,
    },
    /// Memory can't be made writable or read-only.
    #[error("can't change the protection of the artifact's memory: {reason}")]
    #[diagnostic(code("relo::load::protect"))]
    Protect {
        /// The system's reason.
        reason: String,
    },
    /// There is no such function.
    #[error("the artifact has no function `{name}`")]
    #[diagnostic(code("relo::load::entry"))]
    Entry {
        /// The name.
        name: String,
        /// The names that there are.
        #[help]
        help: String,
    },
    /// A signature or an argument that does not fit it.
    #[error("{message}")]
    #[diagnostic(
        code("relo::load::signature"),
        help("a signature looks like `f64 (f64, i64, ptr, out f64)`")
    )]
    Signature {
        /// What does not fit.
        message: String,
    },
}

fn list(unresolved: &[Unresolved]) -> String {
    unresolved
        .iter()
        .map(|one| format!("  #reloc.{}: {}", one.referent, one.reason))
        .collect::<Vec<_>>()
        .join("\n")
}
