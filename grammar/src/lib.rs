//! The syntax of relo's rule language.
//!
//! [`parse`] turns the text of a `*.relo` file into a [`tree::File`], and gives *all* its syntax errors: a
//! broken rule does not hide the mistakes in the next one. This crate knows no disk, no YAML and no MLIR, and
//! does not know what a name means.

mod brackets;
mod build;
mod cut;
mod error;
mod expressions;
mod format;
mod lex;
mod mistakes;
mod parse;
mod parser;
mod precedence;
mod print;
mod rule;
mod scan;
pub mod span;
mod text;
pub mod tree;

pub use error::SyntaxError;
pub use format::format;
pub use parse::parse;
pub use print::{print, print_rule};
