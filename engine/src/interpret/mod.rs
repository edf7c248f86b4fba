//! The reference interpreter: rules at work on any host that can be changed, in plain Rust and without PDL.
//!
//! It is what the compiled patterns have to agree with, and what tells of rules that do not fire. It goes over the module
//! by the laws in `docs/language.md`, "The walk"; what a rule wants is decided by [`crate::evaluate`].

mod build;
mod shape;
mod walk;

use crate::evaluate::Failure;
use crate::host::Op;
use crate::native::Natives;
use crate::normal::Rule;
use crate::rewriter::Rewriter;
use walk::{Broken, Walk};

pub use build::{attribute, build, operand, ty};
pub use shape::shape;

/// Something that happens while rules are tried, before the module changes. Rules are told by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A rule holds, and rewrites.
    Fired {
        /// The rule.
        rule: usize,
        /// The operation that it replaces.
        root: Op,
    },
    /// A rule holds, and rejects.
    Rejected {
        /// The rule.
        rule: usize,
        /// The operation that it rejects.
        root: Op,
        /// Its message, holes filled.
        message: String,
    },
    /// A rule for such operations does not hold.
    Missed {
        /// The rule.
        rule: usize,
        /// The operation.
        root: Op,
        /// What does not hold; [`crate::why_not`] tells more.
        failure: Failure,
    },
}

/// How the walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No rule applies any more.
    Done,
    /// After the last round, rules still applied.
    Exhausted,
    /// A rule could not build what it says; the module is of no use.
    Broken {
        /// The rule.
        rule: usize,
        /// What went wrong.
        message: String,
    },
}

/// Applies the rules of a phase, which are in the order in which they are tried, until none applies or the rounds are
/// over.
pub fn interpret<H: Rewriter>(
    rules: &[Rule],
    host: &mut H,
    natives: &Natives<H>,
    rounds: u32,
    observe: &mut dyn FnMut(&mut H, &Event),
) -> Ended {
    match Walk::new(rules, host, natives, observe).run(rounds) {
        Ok(ended) => ended,
        Err(Broken { rule, message }) => Ended::Broken { rule, message },
    }
}
