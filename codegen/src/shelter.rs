//! Local records, kept whole: LLVM's optimiser splits a local global that it knows all uses of, and neither
//! `externally_initialized` nor `!reloc.sites` holds it back. What it makes of one has no sites.

use std::collections::HashSet;

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use crate::error::CodegenError;
use crate::llvm::{Module, is_local};
use crate::sites::read;

unsafe extern "C" {
    fn reloKeep(module: LLVMModuleRef, global: LLVMValueRef);
    fn reloRelease(module: LLVMModuleRef, global: LLVMValueRef);
}

/// Local globals that look as if others saw them, for as long as LLVM optimises.
pub(crate) struct Sheltered(Vec<(LLVMValueRef, LLVMLinkage)>);

/// Shelters the local globals that have sites.
///
/// # Errors
/// When a site is malformed.
pub(crate) fn shelter(module: &Module) -> Result<Sheltered, CodegenError> {
    let mut sheltered = Vec::new();
    for global in locals(module)? {
        // SAFETY: the global is alive. A definition that others may see is not deleted before it is local again.
        unsafe {
            sheltered.push((global, LLVMGetLinkage(global)));
            LLVMSetLinkage(global, LLVMLinkage::LLVMExternalLinkage);
        }
    }
    Ok(Sheltered(sheltered))
}

impl Sheltered {
    /// Makes them local again; what nothing uses any more goes.
    pub(crate) fn leave(self) {
        for (global, linkage) in self.0 {
            // SAFETY: the global is alive, as above.
            unsafe {
                LLVMSetLinkage(global, linkage);
                if LLVMGetFirstUse(global).is_null() {
                    LLVMDeleteGlobal(global);
                }
            }
        }
    }
}

/// Keeps local globals with sites whole in whatever other tools do to the module.
///
/// # Errors
/// When a site is malformed.
pub(crate) fn keep(module: &Module) -> Result<(), CodegenError> {
    for global in locals(module)? {
        // SAFETY: module and global are alive.
        unsafe { reloKeep(module.raw(), global) };
    }
    Ok(())
}

/// What [`keep`] did is done for: relo keeps them whole by itself.
///
/// # Errors
/// When a site is malformed.
pub(crate) fn release(module: &Module) -> Result<(), CodegenError> {
    for global in locals(module)? {
        // SAFETY: as above.
        unsafe { reloRelease(module.raw(), global) };
    }
    Ok(())
}

/// The local globals that have sites, each once.
fn locals(module: &Module) -> Result<Vec<LLVMValueRef>, CodegenError> {
    let mut seen = HashSet::new();
    let globals = read(module)?.into_iter().map(|(global, _)| global);
    Ok(globals.filter(|global| is_local(*global) && seen.insert(*global)).collect())
}
