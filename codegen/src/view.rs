//! A module, its view for MLIR, and the way back; `cpp/View.cpp` and `cpp/Merge.cpp` do the work.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;
use relo_dialect::{Context as MlirContext, Module as MlirModule, translate};

use crate::error::CodegenError;
use crate::llvm::{Module, c_string, name_of, take_message};

#[repr(C)]
struct RawView {
    _private: [u8; 0],
}

type Each = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize);

unsafe extern "C" {
    fn reloViewCreate(original: LLVMModuleRef, opaque: *const *const c_char, count: usize) -> *mut RawView;
    fn reloViewTake(view: *mut RawView) -> LLVMModuleRef;
    fn reloViewOpaque(view: *mut RawView, user: *mut c_void, each: Each);
    fn reloViewDestroy(view: *mut RawView);
    fn reloMerge(
        view: *mut RawView,
        exported: LLVMModuleRef,
        touched: *const *const c_char,
        lengths: *const usize,
        count: usize,
    ) -> *mut c_char;
}

/// What connects a module with what MLIR sees of it.
pub(crate) struct View<'m> {
    raw: *mut RawView,
    original: &'m Module,
    /// Functions whose bodies MLIR does not see, with the reason.
    pub(crate) opaque: BTreeMap<String, String>,
}

impl<'m> View<'m> {
    /// Shows a module to MLIR. Functions that MLIR's import refuses stay closed to it, and to the rules.
    ///
    /// # Errors
    /// When MLIR refuses something that stands in no function.
    pub(crate) fn import<'c>(
        original: &'m Module,
        mlir: &'c MlirContext,
    ) -> Result<(Self, MlirModule<'c>), CodegenError> {
        let whole = Self::create(original, &[]);
        // SAFETY: the clone is taken once, and consumed by the import.
        let error = match unsafe { translate::import(mlir, reloViewTake(whole.raw)) } {
            Ok((module, _)) => return Ok((whole, module)),
            Err(error) => error,
        };
        drop(whole);
        // Which functions is it? Each is tried alone, which happens for rare input only.
        let bodies: Vec<String> = original
            .functions()
            .into_iter()
            // SAFETY: the functions are alive.
            .filter(|function| unsafe { llvm_sys::core::LLVMCountBasicBlocks(*function) } > 0)
            .map(name_of)
            .collect();
        let mut closed: Vec<String> = Vec::new();
        for name in &bodies {
            let others: Vec<String> = bodies.iter().filter(|other| *other != name).cloned().collect();
            let view = Self::create(original, &others);
            // SAFETY: as above.
            if unsafe { translate::import(mlir, reloViewTake(view.raw)) }.is_err() {
                closed.push(name.clone());
            }
        }
        let view = Self::create(original, &closed);
        // SAFETY: as above.
        match unsafe { translate::import(mlir, reloViewTake(view.raw)) } {
            Ok((module, _)) => Ok((view, module)),
            Err(_) => Err(error.into()),
        }
    }

    fn create(original: &'m Module, closed: &[String]) -> Self {
        unsafe extern "C" fn each(
            user: *mut c_void,
            name: *const c_char,
            name_length: usize,
            reason: *const c_char,
            reason_length: usize,
        ) {
            // SAFETY: `user` is the map below; both texts live during the call.
            unsafe {
                let text = |data: *const c_char, length: usize| {
                    String::from_utf8_lossy(std::slice::from_raw_parts(data.cast(), length)).into_owned()
                };
                (*user.cast::<BTreeMap<String, String>>())
                    .insert(text(name, name_length), text(reason, reason_length));
            }
        }
        let closed: Vec<_> = closed.iter().map(|name| c_string(name)).collect();
        let pointers: Vec<*const c_char> = closed.iter().map(|name| name.as_ptr()).collect();
        let mut opaque: BTreeMap<String, String> = BTreeMap::new();
        // SAFETY: the module outlives the view, which borrows it; the callee calls back before it returns.
        let raw = unsafe {
            let raw = reloViewCreate(original.raw(), pointers.as_ptr(), pointers.len());
            reloViewOpaque(raw, (&raw mut opaque).cast(), each);
            raw
        };
        Self { raw, original, opaque }
    }

    /// Puts what rules touched into the original module.
    ///
    /// # Errors
    /// When something has meaning, and can't be carried.
    pub(crate) fn merge(
        self,
        module: &MlirModule<'_>,
        touched: &BTreeSet<String>,
    ) -> Result<(), CodegenError> {
        // SAFETY: the exported module is consumed by the merge; names live during the call.
        unsafe {
            let exported = translate::export(module, self.original.context().raw())?;
            let names: Vec<*const c_char> = touched.iter().map(|name| name.as_ptr().cast()).collect();
            let lengths: Vec<usize> = touched.iter().map(String::len).collect();
            let error = reloMerge(self.raw, exported, names.as_ptr(), lengths.as_ptr(), names.len());
            if error.is_null() {
                return Ok(());
            }
            Err(CodegenError::CannotCarry { what: take_message(error) })
        }
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        // SAFETY: the view is ours.
        unsafe { reloViewDestroy(self.raw) };
    }
}
