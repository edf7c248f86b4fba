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

use relo_engine::{Datum, Natives, Signature};

use crate::host::MlirHost;
pub(crate) use build::type_attribute;
pub(crate) use marks::{ANNOTATIONS, annotations};
pub(crate) use symbols::operation_name;

/// All natives.
pub fn natives<'a>() -> Natives<MlirHost<'a>> {
    let mut natives = Natives::default();
    symbols::add(&mut natives);
    addresses::add(&mut natives);
    referents::add(&mut natives);
    sites::add(&mut natives);
    build::add(&mut natives);
    constants::add(&mut natives);
    functions::add(&mut natives);
    marks::add(&mut natives);
    natives
}

/// Their signatures, for a checker that has no module at hand.
pub fn signatures() -> indexmap::IndexMap<&'static str, Signature> {
    natives().signatures()
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
