//! Why an artifact can't be loaded or called.

use relo_referent::{Action, Referent};

use crate::manifest::ManifestError;

/// A referent that no resolver knows, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The referent.
    pub referent: Referent,
    /// Why.
    pub reason: String,
}

/// Loading or calling failed. Where loading fails nothing of the artifact stays in the process.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum LoadError {
    /// The artifact can't be read.
    #[error("can't read `{path}`: {reason}")]
    #[diagnostic(
        code("relo::load::read"),
        help("give the file that `relo compile` wrote beside the manifest")
    )]
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
    /// The manifest can't be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Manifest(#[from] ManifestError),
    /// The artifact holds words of the session that compiled it.
    #[error("the artifact is not portable: it is valid only in the session that compiled it")]
    #[diagnostic(
        code("relo::load::portable"),
        help("compile it with strategies that are portable, and let rules lift the addresses that are left")
    )]
    NotPortable,
    /// This loader does not load such artifacts.
    #[error("this loader does not load artifacts of kind {}", quoted(.kind))]
    #[diagnostic(code("relo::load::kind"))]
    Kind {
        /// The kind.
        kind: String,
        /// What it loads.
        #[help]
        help: &'static str,
    },
    /// The artifact is for another machine.
    #[error("the artifact is for {found}, and this machine is {here}")]
    #[diagnostic(code("relo::load::machine"), help("compile for a target with this machine's triple"))]
    Machine {
        /// The artifact's machine.
        found: String,
        /// This machine.
        here: String,
    },
    /// The artifact is not of its kind.
    #[error("the artifact is no {what}: {reason}")]
    #[diagnostic(
        code("relo::load::malformed"),
        help("hash and manifest agree, so it was written like this: compile again")
    )]
    Malformed {
        /// What it should be.
        what: &'static str,
        /// Why.
        reason: String,
    },
    /// A site that needs something else than a word written.
    #[error(
        "the site in {} at byte {offset} has the action `{}`, which this loader can't do",
        quoted(.symbol),
        .action.name()
    )]
    #[diagnostic(code("relo::load::action"))]
    Action {
        /// The global.
        symbol: String,
        /// The offset.
        offset: u64,
        /// The action.
        action: Action,
        /// What it can do.
        #[help]
        help: &'static str,
    },
    /// A site that the artifact does not have.
    #[error("the manifest's site in {} at byte {offset} is not in the artifact: {reason}", quoted(.symbol))]
    #[diagnostic(
        code("relo::load::site"),
        help("nothing was loaded: manifest and artifact contradict each other, so neither is to be trusted")
    )]
    Site {
        /// The global.
        symbol: String,
        /// The offset.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// Referents that this session does not know.
    #[error("{} can't be resolved in this session:\n{}", count(.0.len()), list(.0))]
    #[diagnostic(
        code("relo::load::unresolved"),
        help("nothing was loaded; give a resolver that knows them, or allow the library that has them")
    )]
    Unresolved(Vec<Unresolved>),
    /// The system's linker refuses the artifact.
    #[error("the linker refuses the artifact: {reason}")]
    #[diagnostic(
        code("relo::load::link"),
        help("load the libraries that it needs first, or compile it so that rules lift what it refers to")
    )]
    Link {
        /// Its reason.
        reason: String,
    },
    /// A device's driver is not there, or refuses.
    #[error("the driver `{name}`: {reason}")]
    #[diagnostic(
        code("relo::load::driver"),
        help("install the device's driver, or load on a machine that has the device")
    )]
    Driver {
        /// The driver's library.
        name: String,
        /// What it says.
        reason: String,
    },
    /// Memory can't be read.
    #[error("can't read the artifact's memory: {reason}")]
    #[diagnostic(
        code("relo::load::memory"),
        help("name a datum that the artifact exports, and a word in it")
    )]
    Memory {
        /// The system's reason.
        reason: String,
    },
    /// There is no such function.
    #[error("the artifact has no function {}", quoted(.name))]
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
        help(
            "a signature looks like `f64 (f64, i64, ptr, out f64)`, of i1, i8, i16, i32, i64, ptr, f32, f64; \
             arguments are given for what is not `out`"
        )
    )]
    Signature {
        /// What does not fit.
        message: String,
    },
}

/// So many characters of a name are shown.
const READABLE: usize = 200;

impl LoadError {
    /// A function that is not among the artifact's.
    pub fn no_entry(name: &str, entries: &[String]) -> Self {
        let help = match entries {
            [] => "it offers none".to_owned(),
            entries => format!("it offers: {}", entries.join(", ").escape_debug()),
        };
        Self::Entry { name: name.to_owned(), help }
    }
}

/// A name as diagnostics show it: names come from files that are not to be trusted, and terminals obey some characters.
pub fn quoted(name: &str) -> String {
    match name.char_indices().nth(READABLE) {
        Some((end, _)) => format!("`{}…`, of {} bytes,", name[..end].escape_debug(), name.len()),
        None => format!("`{}`", name.escape_debug()),
    }
}

fn count(referents: usize) -> String {
    if referents == 1 { "a referent".to_owned() } else { format!("{referents} referents") }
}

fn list(unresolved: &[Unresolved]) -> String {
    unresolved
        .iter()
        .map(|one| format!("  #reloc.{}: {}", one.referent, one.reason))
        .collect::<Vec<_>>()
        .join("\n")
}
