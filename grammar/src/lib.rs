//! The syntax of relo's rule language.
//!
//! [`parse`] turns the text of a `*.relo` file into a [`tree::File`], and gives *all* its syntax errors: a
//! broken rule does not hide the mistakes in the next one. This crate knows no disk, no YAML and no MLIR, and
//! does not know what a name means.

mod build;
mod cut;
mod error;
mod expressions;
mod parse;
mod parser;
pub mod span;
pub mod tree;

pub use error::SyntaxError;
pub use parse::parse;
