//! The natives of MLIR: what rules can ask of a module, and build in it.
//!
//! Each file is one subject. A site, as natives pass it around, is a list: offset in bytes, width in bits,
//! referent; a word to fill in is a list of offset and word.

mod addresses;
mod build;
mod constants;
mod functions;
mod marks;
mod referents;
mod sites;
mod symbols;

use relo_engine::normal::Rule;
use relo_engine::{Datum, Natives, Signature};

use crate::error::DialectError;
use crate::host::{AddNatives, MlirHost};
pub(crate) use build::type_attribute;
pub(crate) use marks::{ANNOTATIONS, annotations};
pub(crate) use symbols::operation_name;

/// Adds all natives that come with relo.
pub fn natives(natives: &mut Natives<MlirHost<'_>>) {
    symbols::add(natives);
    addresses::add(natives);
    referents::add(natives);
    sites::add(natives);
    build::add(natives);
    constants::add(natives);
    functions::add(natives);
    marks::add(natives);
}

/// The natives that a function adds.
pub(crate) fn made<'h>(add: AddNatives) -> Natives<MlirHost<'h>> {
    let mut natives = Natives::default();
    add(&mut natives);
    natives
}

/// Their signatures, for a checker that has no module at hand.
pub fn signatures() -> indexmap::IndexMap<&'static str, Signature> {
    made(natives).signatures()
}

/// Makes sure that the rules were checked with these natives.
pub(crate) fn known<H>(natives: &Natives<H>, rules: &[Rule]) -> Result<(), DialectError> {
    match natives.missing(rules) {
        None => Ok(()),
        Some((rule, native)) => {
            Err(DialectError::Native { rule: rule.path.clone(), native: native.to_owned() })
        }
    }
}

/// What a predicate answers.
fn holds(condition: bool) -> Option<Vec<Datum>> {
    condition.then(Vec::new)
}

/// What a function with one result answers.
fn one(datum: Datum) -> Option<Vec<Datum>> {
    Some(vec![datum])
}

/// The text of a symbol or of plain text.
fn name_of(datum: &Datum) -> Option<&str> {
    match datum {
        Datum::Symbol(name) | Datum::Str(name) => Some(name),
        _ => None,
    }
}
