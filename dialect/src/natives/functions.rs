//! Functions that rules call and nobody defines here.

use mlir_sys::{mlirAttributeParseGet, mlirUnitAttrGet};
use relo_engine::{Datum, Kind, Native, Natives};

use super::{name_of, one};
use crate::handle::string_ref;
use crate::host::MlirHost;

/// What a function without effects has.
const NO_EFFECTS: &str = "#llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, \
                          targetMem0 = none, targetMem1 = none>";

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(Native::builder(
        "function",
        &[("name", Kind::Str), ("type", Kind::Type), ("convention", Kind::Str)],
        &[Kind::Symbol],
        "A function without effects that is declared under this name, with this type (`!llvm.func<…>`) and calling \
         convention (as `llvm.func` calls it: `ccc`, `spir_funccc`, …). It is declared once.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let (name, convention) = (name_of(&arguments[0])?.to_owned(), name_of(&arguments[2])?.to_owned());
            let of = host.type_in(&arguments[1])?;
            let found = host.symbols.borrow().get(&name);
            if let Some(found) = found {
                if super::symbols::operation_name(found) != "llvm.func" {
                    host.taken.insert(name.clone(), "a function that a rule calls".to_owned());
                }
                return one(Datum::Symbol(name));
            }
            let context = host.raw_context();
            // SAFETY: the context is alive; MLIR copies the texts.
            let attribute = |text: &str| unsafe { mlirAttributeParseGet(context, string_ref(text)) };
            // SAFETY: the context is alive.
            let unit = unsafe { mlirUnitAttrGet(context) };
            let attributes = [
                ("sym_name", host.string(&name)),
                ("function_type", super::type_attribute(of)),
                ("CConv", attribute(&format!("#llvm.cconv<{convention}>"))),
                ("linkage", attribute("#llvm.linkage<external>")),
                ("memory_effects", attribute(NO_EFFECTS)),
                // A back end reads what it is called with: two calls are no call with one of two numbers.
                ("passthrough", attribute("[\"nomerge\"]")),
                ("no_unwind", unit),
                ("will_return", unit),
            ];
            if attributes.iter().any(|(_, made)| made.ptr.is_null()) {
                return None;
            }
            host.at_start_of_module(|host| host.create("llvm.func", &attributes, &[], &[], true))?;
            one(Datum::Symbol(name))
        },
    )
    .builds(&["llvm.func"]));
}
