//! Referents: from the session table, of a slot, and their words.

use mlir_sys::{mlirIntegerTypeGetWidth, mlirTypeIsAInteger, mlirTypeIsALLVMPointerType};
use relo_engine::{Datum, Host, Kind, Native, Natives, as_word};
use relo_referent::Referent;

use super::{holds, name_of, one};
use crate::handle::{attr_handle, named_attribute, ty};
use crate::host::MlirHost;

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(Native::pure(
        "session",
        &[("address", Kind::Any)],
        &[Kind::Referent],
        "What the session table says of an address, or of a global by its name.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let of = match &arguments[0] {
                Datum::Attr(attribute) => host.decode(*attribute),
                datum => datum.clone(),
            };
            let referent = match &of {
                Datum::Int(address) => host.surroundings.session.by_address(as_word(*address)?)?,
                datum => host.surroundings.session.by_global(name_of(datum)?)?,
            };
            one(Datum::Referent(referent.clone()))
        },
    ));
    natives.add(Native::pure(
        "is_word",
        &[("type", Kind::Type)],
        &[],
        "Holds for an integer of a word's width and for a pointer.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::Type(of) = arguments[0] else { return None };
            let of = ty(of);
            // SAFETY: the type is alive, and the width is read of an integer type.
            let integer = unsafe { mlirTypeIsAInteger(of) };
            holds(if integer {
                // SAFETY: as above.
                unsafe { mlirIntegerTypeGetWidth(of) == host.surroundings.word_width }
            } else {
                {
                    // SAFETY: the type is alive.
                    unsafe { mlirTypeIsALLVMPointerType(of) }
                }
            })
        },
    ));
    natives.add(
        Native::pure(
            "referent",
            &[("slot", Kind::Symbol)],
            &[Kind::Referent],
            "What a slot refers to.",
            |host: &mut MlirHost<'a>, arguments: &[Datum]| {
                let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
                match host.decode(attr_handle(named_attribute(op, "referent")?)) {
                    Datum::Referent(referent) => one(Datum::Referent(referent)),
                    _ => None,
                }
            },
        )
        .total(),
    );
    natives.add(Native::pure(
        "identity",
        &[("referent", Kind::Referent)],
        &[Kind::Str, Kind::Str],
        "The runtime and the key of a referent that is an object itself, not a place inside one.",
        |_: &mut MlirHost<'a>, arguments: &[Datum]| match &arguments[0] {
            Datum::Referent(Referent::Object { runtime, key, addend: 0 }) => {
                Some(vec![Datum::Str(runtime.clone()), Datum::Str(key.clone())])
            }
            _ => None,
        },
    ));
    natives.add(Native::pure(
        "resolve",
        &[("referent", Kind::Referent)],
        &[Kind::Int],
        "The referent's word in the compiling session, addend included. What can't be resolved is reported when \
         the phase is over.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::Referent(referent) = &arguments[0] else { return None };
            match (host.surroundings.resolve)(referent) {
                Some(word) => one(Datum::Int(word.into())),
                None => {
                    host.unresolved.insert(referent.clone());
                    None
                }
            }
        },
    )
    .total());
}
