//! All operations, as `build/ods.rs` writes them.

use relo_engine::Presence;
use relo_engine::Presence::{Optional as O, Required as R, Variadic as V};

use super::Encoding;

/// An operand or a result: name and presence.
pub(super) type Argument = (&'static str, Presence);

/// An attribute, or a property that the generic form writes like one.
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) presence: Presence,
    pub(super) constraint: &'static str,
    pub(super) encoding: Option<&'static Encoding>,
    pub(super) property: bool,
}

/// An operation, by full name.
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) operands: &'static [Argument],
    pub(super) attributes: &'static [Attribute],
    pub(super) results: &'static [Argument],
    pub(super) regions: bool,
    pub(super) successors: bool,
    pub(super) symbol: bool,
    pub(super) segments: bool,
}

include!(concat!(env!("OUT_DIR"), "/ods.rs"));
