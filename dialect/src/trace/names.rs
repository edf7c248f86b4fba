//! Names that stay: MLIR numbers values anew each time it prints, so that one rewrite would change every line behind it.

use std::ffi::c_void;
use std::sync::OnceLock;

use mlir_sys::*;
use regex::Regex;

use crate::handle::{printed, string_ref, text};

/// Gives each value a name that no other has. Names lie in the locations, where the printer looks for them.
#[derive(Default)]
pub(super) struct Names {
    next: u64,
}

impl Names {
    /// Names what an operation makes, `own` where there is one, and what those inside it make that have no name yet.
    pub(super) fn give(&mut self, op: MlirOperation, own: Option<&str>) {
        unsafe extern "C" fn visit(op: MlirOperation, user: *mut c_void) -> MlirWalkResult {
            // SAFETY: `user` is the list below.
            unsafe { &mut *user.cast::<Vec<MlirOperation>>() }.push(op);
            MlirWalkResult_MlirWalkResultAdvance
        }
        let mut all: Vec<MlirOperation> = Vec::new();
        // SAFETY: the operation is alive; the walk calls back before it returns.
        unsafe {
            mlirOperationWalk(op, Some(visit), (&raw mut all).cast(), MlirWalkOrder_MlirWalkPreOrder);
        }
        for one in all {
            // SAFETY: the operation is alive; MLIR copies the name.
            unsafe {
                let is_root = one.ptr == op.ptr;
                if mlirOperationGetNumResults(one) == 0 || !is_root && is_named(one) {
                    continue;
                }
                let name = own.filter(|_| is_root).map(str::to_owned).unwrap_or_else(|| {
                    self.next += 1;
                    format!("v{}", self.next)
                });
                let location = mlirOperationGetLocation(one);
                let named = mlirLocationNameGet(mlirOperationGetContext(one), string_ref(&name), location);
                mlirOperationSetLocation(one, named);
            }
        }
    }
}

/// The name of what an operation makes.
pub(super) fn name_of(op: MlirOperation) -> Option<String> {
    // SAFETY: the operation is alive; its location lives as long as the context.
    unsafe {
        let location = mlirOperationGetLocation(op);
        let is_named = mlirOperationGetNumResults(op) > 0 && mlirLocationIsAName(location);
        is_named.then(|| text(mlirIdentifierStr(mlirLocationNameGetName(location))).to_owned())
    }
}

/// Whether the name is one of ours.
pub(super) fn is_named(op: MlirOperation) -> bool {
    name_of(op).is_some_and(|name| {
        name.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|digit| digit.is_ascii_digit()))
    })
}

/// An operation as MLIR prints it where it stands, with these names. Between rules it need not be valid.
pub(super) fn print(op: MlirOperation) -> String {
    // SAFETY: the operation is alive; the flags live during the call, and the printer calls back before it returns.
    unsafe {
        let flags = mlirOpPrintingFlagsCreate();
        mlirOpPrintingFlagsUseLocalScope(flags);
        mlirOpPrintingFlagsAssumeVerified(flags);
        mlirOpPrintingFlagsPrintNameLocAsPrefix(flags);
        let text = printed(|append, user| mlirOperationPrintWithFlags(op, flags, Some(append), user));
        mlirOpPrintingFlagsDestroy(flags);
        without_tags(text)
    }
}

/// Without the tags by which what MLIR can't carry finds its way back.
fn without_tags(text: String) -> String {
    static TAG: OnceLock<Regex> = OnceLock::new();
    if !text.contains("reloc.carry") {
        return text;
    }
    let tag = TAG.get_or_init(|| {
        let tag = r"reloc\.carry = \d+ : i64";
        Regex::new(&format!(r" \{{{tag}\}}|, {tag}|{tag}, ")).expect("a constant pattern")
    });
    tag.replace_all(&text, "").into_owned()
}
