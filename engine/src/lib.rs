//! Rules, checked: from the trees of [`relo_grammar`] and the packs' YAML to the normal form that everything
//! downstream reads.
//!
//! The way is: [`Library`] gathers packs; [`RuleSet::new`] expands and checks the rules that a target uses and
//! gives the [`normal`] form, or *all* the [`Finding`]s; [`evaluate`] decides a rule's conditions over any
//! [`Host`], and [`why_not`] tells what failed; [`interpret`] runs them over any [`Rewriter`]; [`plan`] chooses each
//! site's strategy. This crate does no input or output, knows no LLVM and no MLIR (it sees IR only through [`Host`] and
//! [`Rewriter`]), and names no strategy, target or front end: those are data.

mod analyse;
mod calls;
mod certain;
mod datum;
pub mod evaluate;
mod evolve;
mod expression;
mod finding;
mod host;
pub mod interpret;
mod library;
mod native;
pub mod normal;
mod normalise;
mod pack;
pub mod plan;
mod precedence;
mod request;
mod rewriter;
mod ruleset;
mod schema;
mod target;
mod why_not;

pub use analyse::{Answer, Cell, Overlap, REFERENT_KINDS, Witness};
pub use datum::{Datum, Kind, as_word};
pub use evolve::{Change, Class, compare, compare_packs};
pub use expression::regex;
pub use finding::{Finding, Label, Severity, suggestion};
pub use host::{Attr, Host, Location, Op, Type, Value};
pub use library::{Library, PackSource};
pub use native::{Calls, Effect, Native, Natives, Signature};
pub use pack::{Activation, Pack, Setting, TargetSpec, TestSetup};
pub use plan::{Choice, PlanError, SiteKind};
pub use request::{Request, RuleSetError};
pub use rewriter::{Contents, NewGlobal, NewOperation, Rewriter};
pub use ruleset::{RuleSet, StrategySpec};
pub use schema::{AttributeFacts, OperationFacts, Presence, Schema};
pub use target::Target;
pub use why_not::{Obstacle, why_not};
