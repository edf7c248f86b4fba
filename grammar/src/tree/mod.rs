//! The syntax tree of a rule file: what was written, with the place of every name.
//!
//! Nothing here is checked beyond its form; names are text. `docs/language.md` has an example of each.

mod blocks;
mod expressions;
mod items;
mod operations;
mod tests;

pub use blocks::{Clause, Match, MatchItem, Rewrite, Statement, Where};
pub use expressions::{BinaryOp, Call, Capture, Expr, ExprKind, Path, Sigil, Text, TextPart};
pub use items::{Fact, Family, File, Fragment, Item, Outcome, Override, Param, Prefer, Rule, Strategy};
pub use operations::{Attribute, Operand, Operation};
pub use tests::{Expectation, Test};
