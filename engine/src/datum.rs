//! What a capture can stand for.

use std::fmt;

use relo_referent::Referent;

use crate::host::{Attr, Type, Value};

/// A piece of compile-time data, or a value of the IR.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A value of the IR.
    Value(Value),
    /// A symbol's name.
    Symbol(String),
    /// A type of the IR.
    Type(Type),
    /// An attribute of the IR, as it is.
    Attr(Attr),
    /// A number, wide enough for any 64-bit word, signed or not.
    Int(i128),
    /// Text; an enumerator's name too.
    Str(String),
    /// A truth value.
    Bool(bool),
    /// A referent.
    Referent(Referent),
    /// Several.
    List(Vec<Datum>),
    /// Named attributes.
    Dictionary(Vec<(String, Attr)>),
}

/// The kinds of [`Datum`], as signatures and the checker know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Nothing is known, or anything is welcome.
    Any,
    /// `%x`.
    Value,
    /// `@x`.
    Symbol,
    /// A type.
    Type,
    /// An attribute whose kind only the IR knows.
    Attribute,
    /// A number.
    Int,
    /// Text.
    Str,
    /// A truth value.
    Bool,
    /// A referent.
    Referent,
    /// A list.
    List,
    /// A dictionary of attributes.
    Dictionary,
    /// A regular expression (only as an argument).
    Regex,
    /// What a global is initialised with (only as a builder's result).
    Contents,
}

impl Kind {
    /// Whether a datum of this kind can be used where `wanted` is. An attribute may turn out to be anything.
    pub fn fits(self, wanted: Self) -> bool {
        self == wanted
            || matches!(self, Self::Any | Self::Attribute) && wanted != Self::Value
            || matches!(wanted, Self::Any)
            || matches!((self, wanted), (Self::Symbol, Self::Str | Self::Attribute))
            || wanted == Self::Attribute && self != Self::Value
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "anything",
            Self::Value => "a value",
            Self::Symbol => "a symbol",
            Self::Type => "a type",
            Self::Attribute => "an attribute",
            Self::Int => "a number",
            Self::Str => "text",
            Self::Bool => "a truth value",
            Self::Referent => "a referent",
            Self::List => "a list",
            Self::Dictionary => "a dictionary",
            Self::Regex => "a regular expression",
            Self::Contents => "the contents of a global",
        })
    }
}

/// A number as the 64 bits of a word, however its constant was signed.
pub fn as_word(number: i128) -> Option<u64> {
    u64::try_from(number).ok().or_else(|| i64::try_from(number).ok().map(i64::cast_unsigned))
}
