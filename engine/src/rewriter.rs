//! The IR as a rewrite changes it.

use relo_referent::Referent;

use crate::datum::Datum;
use crate::host::{Attr, Host, Op, Type, Value};
use crate::normal::Rule;

/// An operation without regions that is built.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOperation {
    /// Its full name.
    pub name: String,
    /// Its operands.
    pub operands: Vec<Value>,
    /// Its attributes, by name.
    pub attributes: Vec<(String, Attr)>,
    /// The types of its results.
    pub types: Vec<Type>,
}

/// A symbol with contents of its own that is built in place of the root.
#[derive(Clone, Debug, PartialEq)]
pub struct NewGlobal {
    /// Its full name.
    pub name: String,
    /// Its symbol.
    pub symbol: String,
    /// The type of its value.
    pub ty: Type,
    /// Its attributes besides symbol and type, by name.
    pub attributes: Vec<(String, Attr)>,
    /// What it is initialised with.
    pub contents: Contents,
    /// Words to relocate: byte offset and referent. They are delivered as the root is.
    pub sites: Vec<(u64, Referent)>,
}

/// What a global is initialised with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Nothing: it is a declaration.
    Declared,
    /// Zeros.
    Zero,
    /// A word.
    Word(u64),
    /// What the root is initialised with.
    Root,
    /// What the root is initialised with, with these words at these byte offsets.
    Filled(Vec<(u64, u64)>),
}

/// A [`Host`] that a rewrite can change. Conditions are decided over the [`Host`] alone.
pub trait Rewriter: Host {
    /// The operations that stand directly in the module, in order.
    fn symbols(&self) -> Vec<Op>;
    /// The operations in a function's body, each after those inside it; none where `op` is no function.
    fn body(&self, op: Op) -> Vec<Op>;
    /// The operation directly in the module that holds `op`, or is it.
    fn top_level(&self, op: Op) -> Option<Op>;
    /// The operations that use a value.
    fn users(&self, value: Value) -> Vec<Op>;
    /// Whether nothing uses it, and nobody would notice if it went away.
    fn is_dead(&self, op: Op) -> bool;
    /// The attribute `name` of an operation for a datum; `None` where it is left out (a unit that is false). `result` is
    /// the type of the operation's result.
    ///
    /// # Errors
    /// What does not fit, as a sentence.
    fn encode(
        &mut self,
        operation: &str,
        name: &str,
        datum: &Datum,
        result: Option<Type>,
    ) -> Result<Option<Attr>, String>;
    /// A rewrite begins: what is built stands before the root from now on, and comes from where it comes from.
    fn begin(&mut self, rule: &Rule, root: Op);
    /// Builds an operation.
    ///
    /// # Errors
    /// Why it can't be built, as a sentence.
    fn build(&mut self, new: &NewOperation) -> Result<Op, String>;
    /// Builds a global.
    ///
    /// # Errors
    /// Why it can't be built, as a sentence.
    fn build_global(&mut self, new: &NewGlobal) -> Result<(), String>;
    /// Hands the root's discardable attributes to what replaces it.
    fn carry(&mut self, root: Op, made: Op);
    /// Gives the users of an operation's results these values instead, and erases it.
    fn replace(&mut self, op: Op, values: &[Value]);
    /// Erases an operation whose results nothing uses.
    fn erase(&mut self, op: Op);
    /// What was inserted since it was last asked, by natives too.
    fn inserted(&mut self) -> Vec<Op>;
}
