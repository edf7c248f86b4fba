//! What a symbol is, and who uses it.

use mlir_sys::{
    MlirOperation, mlirIdentifierStr, mlirOperationGetName, mlirOperationGetNumRegions,
    mlirOperationGetRegion, mlirRegionGetFirstBlock,
};
use relo_engine::{Datum, Kind, Native, Natives};

use super::{holds, name_of, one};
use crate::handle::{named_attribute, text};
use crate::host::MlirHost;

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(Native::pure(
        "is_declaration",
        &[("symbol", Kind::Symbol)],
        &[],
        "Holds where the module declares the symbol and does not define it.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            holds(is_declaration(op))
        },
    ));
    natives.add(
        Native::pure(
            "is_data",
            &[("symbol", Kind::Symbol)],
            &[],
            "Holds for a global variable: not for a function, a slot or a record.",
            |host: &mut MlirHost<'a>, arguments: &[Datum]| {
                let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
                holds(operation_name(op) == "llvm.mlir.global")
            },
        )
        .disjoint(&["is_slot", "is_record"]),
    );
    natives.add(Native::pure(
        "used",
        &[("symbol", Kind::Symbol)],
        &[],
        "Holds while anything in the module refers to the symbol.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            holds(host.symbols.borrow().is_used(name_of(&arguments[0])?))
        },
    ));
    natives.add(
        Native::pure(
            "needed",
            &[("symbol", Kind::Symbol)],
            &[],
            "Holds while code or data refers to the symbol. The lists `llvm.used` and `llvm.compiler.used` keep what they name; \
             they don't need it. When a rule erases it, they no longer name it.",
            |host: &mut MlirHost<'a>, arguments: &[Datum]| {
                holds(host.symbols.borrow().is_needed(name_of(&arguments[0])?))
            },
        )
        .implies(&["used"]),
    );
    natives.add(
        Native::pure(
            "name",
            &[("symbol", Kind::Symbol)],
            &[Kind::Str],
            "The symbol's name, as text.",
            |_: &mut MlirHost<'a>, arguments: &[Datum]| one(Datum::Str(name_of(&arguments[0])?.to_owned())),
        )
        .total(),
    );
}

/// The full name of an operation.
pub(crate) fn operation_name<'a>(op: MlirOperation) -> &'a str {
    // SAFETY: the operation is alive, its name as long as the context.
    unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) }
}

/// Neither a body nor a value.
pub(super) fn is_declaration(op: MlirOperation) -> bool {
    // SAFETY: the operation is alive, and the index is in range.
    let empty = unsafe {
        (0..mlirOperationGetNumRegions(op))
            .all(|index| mlirRegionGetFirstBlock(mlirOperationGetRegion(op, index)).ptr.is_null())
    };
    empty && named_attribute(op, "value").is_none()
}
