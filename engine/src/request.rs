//! What a compilation asks for, and why it can't have it.

use std::collections::BTreeMap;

use crate::analyse::Cell;
use crate::finding::Finding;
use crate::pack::Setting;

/// What a compilation asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The target's name.
    pub target: String,
    /// Packs to use besides those of the target.
    pub packs: Vec<String>,
    /// Whether there is a session table, which some packs act on.
    pub with_session: bool,
    /// Values of parameters, as `pack.parameter`, and of properties, as `target.property`.
    pub settings: BTreeMap<String, Setting>,
    /// A strategy that comes before the target's own choices.
    pub strategy: Option<String>,
    /// What to emit, where it isn't the target's default.
    pub emit: Option<String>,
    /// The processor, where it isn't the target's default.
    pub cpu: Option<String>,
    /// Make up values for parameters that have no default: for checking rules without compiling anything.
    pub placeholders: bool,
}

/// Why there is no rule set.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum RuleSetError {
    /// The target is unknown.
    #[error("there is no target `{name}`")]
    #[diagnostic(code("relo::pack::unknown_target"))]
    UnknownTarget {
        /// As asked for.
        name: String,
        /// Names that exist.
        #[help]
        help: String,
    },
    /// A pack that was asked for is unknown.
    #[error("there is no pack `{name}`")]
    #[diagnostic(code("relo::pack::unknown_pack"))]
    UnknownPack {
        /// As asked for.
        name: String,
        /// Names that exist.
        #[help]
        help: String,
    },
    /// A strategy that was asked for is unknown.
    #[error("there is no strategy `{name}` for this target")]
    #[diagnostic(code("relo::pack::unknown_strategy"))]
    UnknownStrategy {
        /// As asked for.
        name: String,
        /// Names that exist.
        #[help]
        help: String,
    },
    /// A parameter was set that no pack has.
    #[error("there is no parameter `{name}`")]
    #[diagnostic(code("relo::pack::unknown_parameter"))]
    UnknownParameter {
        /// As asked for.
        name: String,
        /// Names that exist.
        #[help]
        help: String,
    },
    /// The rules or packs are wrong.
    #[error("the rules for `{target}` have mistakes")]
    #[diagnostic(code("relo::check::rules"))]
    Findings {
        /// The target.
        target: String,
        /// All that was found.
        #[related]
        findings: Vec<Finding>,
        /// What becomes of each cell, as far as the rules are right.
        cells: Vec<Cell>,
    },
}
