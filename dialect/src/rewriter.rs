//! MLIR as rules change it: [`MlirHost`] is the [`Rewriter`] of the interpreter, and builds for PDL what it can't.

use std::ffi::c_void;

use mlir_sys::*;
use relo_engine::normal::Rule;
use relo_engine::{
    Attr, Contents, Datum, NewGlobal, NewOperation, Op, Presence, Rewriter, Schema, Type, Value,
};

use crate::attributes::{Site, site_attribute};
use crate::encode::encode;
use crate::handle::{
    attr_handle, attribute, named_attribute, op_handle, operation, string_attribute, string_ref, text, ty,
    value,
};
use crate::host::MlirHost;
use crate::schema::OdsSchema;
use crate::shim::{reloBody, reloContentsFill, reloIsDead};
use crate::symbols::top_level;

impl Rewriter for MlirHost<'_> {
    fn symbols(&self) -> Vec<Op> {
        top_level(self.module).into_iter().map(op_handle).collect()
    }

    fn body(&self, op: Op) -> Vec<Op> {
        unsafe extern "C" fn each(user: *mut c_void, op: MlirOperation) {
            // SAFETY: `user` is the list below.
            unsafe { &mut *user.cast::<Vec<Op>>() }.push(op_handle(op));
        }
        let mut body: Vec<Op> = Vec::new();
        // SAFETY: the operation is alive; the callee calls back before it returns.
        unsafe { reloBody(operation(op), (&raw mut body).cast(), each) };
        body
    }

    fn top_level(&self, op: Op) -> Option<Op> {
        let mut op = operation(op);
        // SAFETY: the operation and what holds it are alive.
        unsafe {
            let module = mlirModuleGetOperation(self.module);
            while !op.ptr.is_null() {
                let parent = mlirOperationGetParentOperation(op);
                if parent.ptr == module.ptr {
                    return Some(op_handle(op));
                }
                op = parent;
            }
        }
        None
    }

    fn users(&self, of: Value) -> Vec<Op> {
        let mut users = Vec::new();
        // SAFETY: the value and its uses are alive.
        unsafe {
            let mut next = mlirValueGetFirstUse(value(of));
            while !mlirOpOperandIsNull(next) {
                users.push(op_handle(mlirOpOperandGetOwner(next)));
                next = mlirOpOperandGetNextUse(next);
            }
        }
        users
    }

    fn is_dead(&self, op: Op) -> bool {
        // SAFETY: the operation is alive.
        unsafe { reloIsDead(operation(op)) }
    }

    fn encode(
        &mut self,
        operation: &str,
        name: &str,
        datum: &Datum,
        result: Option<Type>,
    ) -> Result<Option<Attr>, String> {
        Ok(encode(self.raw_context(), operation, name, datum, result.map(ty))?.map(attr_handle))
    }

    fn begin(&mut self, _: &Rule, root: Op) {
        let rewriter = self.rewriter.expect("the interpreter has one");
        // SAFETY: rewriter and root are alive.
        unsafe { mlirRewriterBaseSetInsertionPointBefore(rewriter, operation(root)) };
        self.building = Some((rewriter, root));
    }

    fn build(&mut self, new: &NewOperation) -> Result<Op, String> {
        let mut named: Vec<(&str, MlirAttribute)> =
            new.attributes.iter().map(|(name, made)| (name.as_str(), attribute(*made))).collect();
        let operands: Vec<MlirValue> = new.operands.iter().map(|of| value(*of)).collect();
        let types: Vec<MlirType> = new.types.iter().map(|of| ty(*of)).collect();
        if OdsSchema.has_segments(&new.name) && !self.fits_segments(&named, operands.len()) {
            let sizes = segments(&new.name, operands.len());
            // SAFETY: the context is alive; MLIR copies the array.
            let sizes =
                unsafe { mlirDenseI32ArrayGet(self.raw_context(), sizes.len() as isize, sizes.as_ptr()) };
            named.retain(|(name, _)| *name != SEGMENTS);
            named.push((SEGMENTS, sizes));
        }
        let made = self.create(&new.name, &named, &operands, &types, false).ok_or("MLIR refuses it")?;
        Ok(op_handle(made))
    }

    fn build_global(&mut self, new: &NewGlobal) -> Result<(), String> {
        let (_, root) = self.building.ok_or("nothing is being built")?;
        let (root, of) = (operation(root), ty(new.ty));
        let mut named: Vec<(&str, MlirAttribute)> = new
            .attributes
            .iter()
            .map(|(name, made)| (name.as_str(), attribute(*made)))
            .filter(|(name, _)| !matches!(*name, "sym_name" | "global_type"))
            .collect();
        named.push(("sym_name", self.string(&new.symbol)));
        named.push(("global_type", crate::natives::type_attribute(of)));
        if !new.sites.is_empty() {
            named.push(("reloc.sites", self.site_array(new, root)));
        }
        match new.contents {
            Contents::Word(word) => {
                // SAFETY: the type is alive.
                if !unsafe { mlirTypeIsAInteger(of) } {
                    let message = "a word that is a pointer is loaded as an integer: give it an integer type";
                    return Err(message.into());
                }
                // SAFETY: as above.
                named.push(("value", unsafe { mlirIntegerAttrGet(of, word.cast_signed()) }));
            }
            Contents::Root | Contents::Filled(_) => {
                named.extend(named_attribute(root, "value").map(|contents| ("value", contents)));
            }
            Contents::Zero | Contents::Declared => {}
        }
        let made = self.create(&new.name, &named, &[], &[], true).ok_or("MLIR refuses it")?;
        let symbols = self.symbols.clone();
        let mut symbols = symbols.borrow_mut();
        symbols.recount(&[made, root], || {
            // SAFETY: both operations are alive; the root's region is given up, as the root itself will be.
            unsafe {
                let region = mlirOperationGetRegion(made, 0);
                match &new.contents {
                    Contents::Zero => append_zero(region, of, root),
                    Contents::Root | Contents::Filled(_) if mlirOperationGetNumRegions(root) == 1 => {
                        mlirRegionTakeBody(region, mlirOperationGetRegion(root, 0));
                    }
                    _ => {}
                }
                let Contents::Filled(words) = &new.contents else { return Ok(()) };
                let (offsets, words): (Vec<u64>, Vec<u64>) = words.iter().copied().unzip();
                if !words.is_empty() {
                    let filled = reloContentsFill(made, of, offsets.as_ptr(), words.as_ptr(), words.len());
                    if filled != words.len() {
                        return Err(format!("@{} has no word at byte {}", new.symbol, offsets[filled]));
                    }
                }
                Ok(())
            }
        })
    }

    /// The tie to the original instruction stays behind: what is new is not that instruction.
    fn carry(&mut self, root: Op, made: Op) {
        let (root, made) = (operation(root), operation(made));
        // SAFETY: both are alive; names live as long as the context.
        unsafe {
            for index in 0..mlirOperationGetNumDiscardableAttributes(root) {
                let named = mlirOperationGetDiscardableAttribute(root, index);
                let name = text(mlirIdentifierStr(named.name));
                if !name.starts_with("reloc.") && name.contains('.') {
                    mlirOperationSetDiscardableAttributeByName(made, string_ref(name), named.attribute);
                }
            }
        }
    }

    fn replace(&mut self, op: Op, values: &[Value]) {
        let rewriter = self.rewriter.expect("the interpreter has one");
        let values: Vec<MlirValue> = values.iter().map(|of| value(*of)).collect();
        // SAFETY: everything is alive; the array lives during the call.
        unsafe {
            mlirRewriterBaseReplaceOpWithValues(
                rewriter,
                operation(op),
                values.len() as isize,
                values.as_ptr(),
            );
        }
    }

    fn erase(&mut self, op: Op) {
        let rewriter = self.rewriter.expect("the interpreter has one");
        // SAFETY: the operation is alive, and nothing uses its results.
        unsafe { mlirRewriterBaseEraseOp(rewriter, operation(op)) };
    }

    fn inserted(&mut self) -> Vec<Op> {
        self.inserted.take()
    }
}

const SEGMENTS: &str = "operandSegmentSizes";

impl MlirHost<'_> {
    /// Whether the sizes of the groups of operands that were taken over are those of the operands.
    fn fits_segments(&self, named: &[(&str, MlirAttribute)], count: usize) -> bool {
        let Some((_, sizes)) = named.iter().find(|(name, _)| *name == SEGMENTS) else { return false };
        // SAFETY: the attribute is alive.
        unsafe {
            mlirAttributeIsADenseI32Array(*sizes)
                && (0..mlirDenseArrayGetNumElements(*sizes))
                    .map(|index| i64::from(mlirDenseI32ArrayGetElement(*sizes, index)))
                    .sum::<i64>()
                    == count as i64
        }
    }

    /// The sites of a `site` statement, delivered as the root is.
    fn site_array(&self, new: &NewGlobal, root: MlirOperation) -> MlirAttribute {
        let of = ty(new.ty);
        // SAFETY: the type is alive.
        let width = unsafe {
            if mlirTypeIsAInteger(of) { mlirIntegerTypeGetWidth(of) } else { self.surroundings.word_width }
        };
        let strategy = string_attribute(root, "strategy");
        let index = match self.plain(root, "index") {
            Some(Datum::Int(index)) => u64::try_from(index).ok(),
            _ => None,
        };
        let sites = new.sites.iter().map(|(offset, referent)| Site {
            offset: *offset,
            width,
            referent: referent.clone(),
            strategy: strategy.clone(),
            index,
        });
        let made: Vec<MlirAttribute> = sites.map(|site| site_attribute(self.raw_context(), &site)).collect();
        // SAFETY: the context is alive, and MLIR copies the array.
        unsafe { mlirArrayAttrGet(self.raw_context(), made.len() as isize, made.as_ptr()) }
    }
}

/// How many operands each group has: the first that may have many takes what the others leave.
pub(crate) fn segments(name: &str, count: usize) -> Vec<i32> {
    let facts = OdsSchema.operation(name).unwrap_or_default();
    let required = facts.operands.iter().filter(|(_, presence)| *presence == Presence::Required).count();
    let mut left = count.saturating_sub(required);
    let sizes = facts.operands.iter().map(|(_, presence)| {
        let size = match presence {
            Presence::Required => 1,
            Presence::Optional => left.min(1),
            Presence::Variadic => left,
        };
        if *presence != Presence::Required {
            left -= size;
        }
        i32::try_from(size).unwrap_or(i32::MAX)
    });
    sizes.collect()
}

/// An initialiser of zeros.
///
/// # Safety
/// Everything is alive, and the region empty.
unsafe fn append_zero(region: MlirRegion, of: MlirType, root: MlirOperation) {
    // SAFETY: as the caller says; block and operations are handed over to the region.
    unsafe {
        let location = mlirOperationGetLocation(root);
        let block = mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
        mlirRegionAppendOwnedBlock(region, block);
        let mut state = mlirOperationStateGet(string_ref("llvm.mlir.zero"), location);
        mlirOperationStateAddResults(&raw mut state, 1, &raw const of);
        let zero = mlirOperationCreate(&raw mut state);
        mlirBlockAppendOwnedOperation(block, zero);
        let zero = mlirOperationGetResult(zero, 0);
        let mut state = mlirOperationStateGet(string_ref("llvm.return"), location);
        mlirOperationStateAddOperands(&raw mut state, 1, &raw const zero);
        mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&raw mut state));
    }
}
