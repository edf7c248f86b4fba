//! LLVM IR to MLIR and back; `cpp/Translation.cpp` does the work.

use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use mlir_sys::{MlirContext, MlirModule};

use crate::context::{Context, MlirDiagnostic};
use crate::error::DialectError;
use crate::module::Module;

unsafe extern "C" {
    fn reloImport(context: MlirContext, module: LLVMModuleRef) -> MlirModule;
    fn reloExport(module: MlirModule, context: LLVMContextRef) -> LLVMModuleRef;
}

/// Imports an LLVM module, `!reloc.sites` included; also gives MLIR's warnings.
///
/// # Errors
/// When MLIR can't carry it, or the sites are malformed.
///
/// # Safety
/// The module is alive and consumed.
pub unsafe fn import(
    context: &Context,
    module: LLVMModuleRef,
) -> Result<(Module<'_>, Vec<MlirDiagnostic>), DialectError> {
    // SAFETY: as the caller says.
    let (imported, diagnostics) = context.catching(|| unsafe { reloImport(context.raw(), module) });
    if imported.ptr.is_null() {
        return Err(DialectError::Import { diagnostics });
    }
    // SAFETY: the import hands the module over.
    Ok((unsafe { Module::from_raw(context, imported) }, diagnostics))
}

/// Translates a module to LLVM IR in an LLVM context; the caller owns what it gets.
///
/// # Errors
/// When something is left that LLVM IR has no word for.
///
/// # Safety
/// The LLVM context is alive.
pub unsafe fn export(module: &Module<'_>, llvm: LLVMContextRef) -> Result<LLVMModuleRef, DialectError> {
    // SAFETY: as the caller says; the module is alive.
    let (exported, diagnostics) = module.context().catching(|| unsafe { reloExport(module.raw(), llvm) });
    if exported.is_null() { Err(DialectError::Export { diagnostics }) } else { Ok(exported) }
}
