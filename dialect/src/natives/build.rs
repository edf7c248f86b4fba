//! What builds IR, and can't fail.

use mlir_sys::*;
use relo_engine::{Datum, Host, Kind, Native, Natives};

use super::{name_of, one};
use crate::attributes::{referent_attribute, referent_of};
use crate::handle::{attribute, named_attribute, operation, string_ref, ty, value, value_handle};
use crate::host::MlirHost;

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(
        Native::builder(
            "slot",
            &[("referent", Kind::Referent)],
            &[Kind::Symbol],
            "The slot of a referent, which is made if there is none: one slot a referent.",
            |host: &mut MlirHost<'a>, arguments: &[Datum]| {
                let referent = match &arguments[0] {
                    Datum::Referent(referent) => referent.clone(),
                    _ => return None,
                };
                let name = referent.slot_name();
                let found = host.symbols.borrow().get(&name);
                if let Some(found) = found {
                    let is_slot = named_attribute(found, "referent").and_then(referent_of);
                    if is_slot.as_ref() != Some(&referent) {
                        host.taken.insert(name.clone(), format!("the slot of #reloc.{referent}"));
                    }
                } else {
                    let attributes = [
                        ("sym_name", host.string(&name)),
                        ("referent", referent_attribute(host.raw_context(), &referent)),
                        ("type", type_attribute(host.word_type())),
                    ];
                    host.at_start_of_module(|host| host.create("reloc.slot", &attributes, &[], &[], false));
                }
                one(Datum::Symbol(name))
            },
        )
        .builds(&["reloc.slot"]),
    );
    natives.add(Native::builder(
        "cast",
        &[("value", Kind::Value), ("type", Kind::Type)],
        &[Kind::Value],
        "The value as another type of the same size: itself, an address from an integer, or the other way round.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let (Datum::Value(of), Datum::Type(to)) = (&arguments[0], &arguments[1]) else { return None };
            let from = host.type_of(*of);
            if from == *to {
                return one(Datum::Value(*of));
            }
            // SAFETY: the types are alive.
            let pointer = |of: relo_engine::Type| unsafe { mlirTypeIsALLVMPointerType(ty(of)) };
            let name = match (pointer(from), pointer(*to)) {
                (false, true) => "llvm.inttoptr",
                (true, false) => "llvm.ptrtoint",
                (true, true) => "llvm.addrspacecast",
                (false, false) => "llvm.bitcast",
            };
            let made = host.create(name, &[], &[value(*of)], &[ty(*to)], false)?;
            // SAFETY: the operation was just made, with one result.
            one(Datum::Value(value_handle(unsafe { mlirOperationGetResult(made, 0) })))
        },
    )
    .builds(&["llvm.inttoptr", "llvm.ptrtoint", "llvm.addrspacecast", "llvm.bitcast"]));
    natives.add(Native::pure(
        "has",
        &[("attributes", Kind::Dictionary), ("name", Kind::Str)],
        &[],
        "Holds where the attributes have one of this name.",
        |_: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::Dictionary(members) = &arguments[0] else { return None };
            let name = name_of(&arguments[1])?;
            super::holds(members.iter().any(|(member, _)| member == name))
        },
    ));
    natives.add(
        Native::pure(
            "is_slot",
            &[("symbol", Kind::Symbol)],
            &[],
            "Holds for a slot.",
            |host: &mut MlirHost<'a>, arguments: &[Datum]| {
                let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
                super::holds(super::symbols::operation_name(op) == "reloc.slot")
            },
        )
        .disjoint(&["is_record"]),
    );
    natives.add(Native::pure(
        "is_record",
        &[("symbol", Kind::Symbol)],
        &[],
        "Holds for a record.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            super::holds(super::symbols::operation_name(op) == "reloc.record")
        },
    ));
}

/// The attribute that holds a type.
pub(crate) fn type_attribute(of: MlirType) -> MlirAttribute {
    // SAFETY: the type is alive.
    unsafe { mlirTypeAttrGet(of) }
}

impl MlirHost<'_> {
    /// A string attribute.
    pub(crate) fn string(&self, text: &str) -> MlirAttribute {
        // SAFETY: the context is alive; MLIR copies the text.
        unsafe { mlirStringAttrGet(self.raw_context(), string_ref(text)) }
    }

    /// Lets `make` make operations at the start of the module's body, among its symbols.
    pub(crate) fn at_start_of_module<T>(&mut self, make: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (rewriter, root) = self.building?;
        // SAFETY: rewriter and root are alive while a rule builds.
        unsafe {
            mlirRewriterBaseSetInsertionPointToStart(rewriter, mlirModuleGetBody(self.module));
            let made = make(self);
            mlirRewriterBaseSetInsertionPointBefore(rewriter, operation(root));
            made
        }
    }

    /// Makes an operation at the place where the rule builds; with a region if asked to. The rewriter tells the
    /// driver about it.
    pub(crate) fn create(
        &mut self,
        name: &str,
        attributes: &[(&str, MlirAttribute)],
        operands: &[MlirValue],
        results: &[MlirType],
        region: bool,
    ) -> Option<MlirOperation> {
        let (rewriter, root) = self.building?;
        // SAFETY: everything is alive while a rule builds; the state's arrays are copied by MLIR before they go.
        unsafe {
            let location = mlirOperationGetLocation(operation(root));
            let mut state = mlirOperationStateGet(string_ref(name), location);
            let named: Vec<MlirNamedAttribute> = attributes
                .iter()
                .map(|(name, attribute)| {
                    mlirNamedAttributeGet(mlirIdentifierGet(self.raw_context(), string_ref(name)), *attribute)
                })
                .collect();
            mlirOperationStateAddAttributes(&raw mut state, named.len() as isize, named.as_ptr());
            mlirOperationStateAddOperands(&raw mut state, operands.len() as isize, operands.as_ptr());
            mlirOperationStateAddResults(&raw mut state, results.len() as isize, results.as_ptr());
            if region {
                let region = mlirRegionCreate();
                mlirOperationStateAddOwnedRegions(&raw mut state, 1, &raw const region);
            }
            let made = mlirOperationCreate(&raw mut state);
            if made.ptr.is_null() {
                return None;
            }
            Some(mlirRewriterBaseInsert(rewriter, made))
        }
    }

    /// An attribute of an operation as plain data.
    pub(crate) fn plain(&self, op: MlirOperation, name: &str) -> Option<Datum> {
        named_attribute(op, name).map(|found| self.decode(crate::handle::attr_handle(found)))
    }

    /// The type that a type attribute holds.
    pub(crate) fn type_in(&self, datum: &Datum) -> Option<MlirType> {
        match datum {
            Datum::Type(of) => Some(ty(*of)),
            Datum::Attr(of) => {
                // SAFETY: the attribute is alive; it is asked first whether it holds a type.
                unsafe {
                    let of = attribute(*of);
                    mlirAttributeIsAType(of).then(|| mlirTypeAttrGetValue(of))
                }
            }
            _ => None,
        }
    }
}
