//! The tests of rules: those in `test` blocks, and the modules in a pack's `tests/`.
//!
//! [`Suite::gather`] finds them, [`run`] puts each through its pack's rules in parallel, and [`Verdict`] tells apart
//! what came of it, against the [`Snapshots`] that were accepted. This crate prints nothing and changes no file unless
//! told to; it knows rules by what they do, none by name.

mod affected;
mod coverage;
mod gather;
mod head;
mod judge;
mod junit;
mod lint;
mod mutants;
mod mutate;
mod observe;
mod parallel;
mod report;
mod rerun;
mod rulesets;
mod run;
mod snapshot;

pub use coverage::{Coverage, RuleCoverage, coverage};
pub use gather::{Suite, Test};
pub use head::Setup;
pub use judge::{Outcome, Tally, Verdict};
pub use junit::junit;
pub use lint::untested;
pub use mutate::{Mutant, Mutation, Progress, Sample, mutants, mutate};
pub use observe::{Observed, Refusal, Stage};
pub use parallel::parallel;
pub use report::{HEAD, coverage_section, edits_line, mutants_section, survivor_line};
pub use rerun::Rerun;
pub use run::{Run, run};
pub use snapshot::{Pending, SnapshotError, Snapshots, Update, difference};
