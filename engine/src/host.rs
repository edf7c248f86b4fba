//! The IR as the engine sees it.
//!
//! Handles are opaque numbers that a host gives out; they are valid while the host says so (over MLIR: until
//! the operation is erased). The engine never makes one up.

use std::fmt;

use crate::datum::Datum;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op(pub usize);
/// A value: an operation's result or a block's argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub usize);
/// A type; equal types have equal handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(pub usize);
/// An attribute; equal attributes have equal handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attr(pub usize);

/// Where an operation comes from.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Location {
    /// The file, where known.
    pub file: Option<String>,
    /// Line, from 1; 0 where unknown.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
    /// The function or global it is in.
    pub symbol: Option<String>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:{}:{}", self.line, self.column)?;
        }
        match (&self.symbol, &self.file) {
            (Some(symbol), Some(_)) => write!(f, " in `{symbol}`"),
            (Some(symbol), None) => write!(f, "`{symbol}`"),
            (None, Some(_)) => Ok(()),
            (None, None) => f.write_str("the module"),
        }
    }
}

/// An IR, as far as conditions need to see it.
pub trait Host {
    /// The operation's full name.
    fn operation_name(&self, op: Op) -> String;
    /// The operands, in order.
    fn operands(&self, op: Op) -> Vec<Value>;
    /// The results, in order.
    fn results(&self, op: Op) -> Vec<Value>;
    /// An attribute by name, inherent or discardable.
    fn attribute(&self, op: Op, name: &str) -> Option<Attr>;
    /// An attribute by name as plain data, an enumerator as its name.
    fn field(&self, op: Op, name: &str) -> Option<Datum>;
    /// All attributes, by name.
    fn attributes(&self, op: Op) -> Vec<(String, Attr)>;
    /// The type of a value.
    fn type_of(&self, value: Value) -> Type;
    /// The operation that defines a value.
    fn definition(&self, value: Value) -> Option<Op>;
    /// An attribute as plain data: a number, text, an enumerator's name, a symbol, a type, a referent, a list; or
    /// the attribute itself where it is none of these.
    fn decode(&self, attribute: Attr) -> Datum;
    /// A type from its text.
    fn parse_type(&mut self, text: &str) -> Option<Type>;
    /// Where the operation comes from.
    fn location(&self, op: Op) -> Location;
    /// Data as text, for messages.
    fn text(&self, datum: &Datum) -> String;
}
