//! LLVM's contexts, modules and buffers as Rust owns them.

use std::ffi::{CStr, CString, c_char, c_void};
use std::rc::Rc;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::*;

/// The version of LLVM that this process has.
pub fn version() -> String {
    let (mut major, mut minor, mut fix) = (0, 0, 0);
    // SAFETY: the numbers are there to be written.
    unsafe { LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut fix) };
    format!("{major}.{minor}.{fix}")
}

/// An LLVM context; what LLVM wants to print is kept instead.
pub(crate) struct Context {
    raw: LLVMContextRef,
    messages: Box<std::cell::RefCell<Vec<String>>>,
}

impl Context {
    /// A context of its own.
    pub(crate) fn new() -> Rc<Self> {
        extern "C" fn keep(info: LLVMDiagnosticInfoRef, user: *mut c_void) {
            // SAFETY: `user` is the list below, alive as long as the context; the text is LLVM's to be disposed of.
            unsafe {
                if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
                    let text = take_message(LLVMGetDiagInfoDescription(info));
                    (*user.cast::<std::cell::RefCell<Vec<String>>>()).borrow_mut().push(text);
                }
            }
        }
        let messages = Box::<std::cell::RefCell<Vec<String>>>::default();
        // SAFETY: the list outlives the context that calls back with it.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(raw, Some(keep), (&raw const *messages).cast_mut().cast());
            raw
        };
        Rc::new(Self { raw, messages })
    }

    pub(crate) fn raw(&self) -> LLVMContextRef {
        self.raw
    }

    /// What LLVM said since the last time.
    pub(crate) fn take_messages(&self) -> String {
        std::mem::take(&mut *self.messages.borrow_mut()).join("; ")
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: every module holds the context, so that this is the last use.
        unsafe { LLVMContextDispose(self.raw) };
    }
}

/// A module, with its context.
pub(crate) struct Module {
    raw: LLVMModuleRef,
    context: Rc<Context>,
}

impl Module {
    /// Takes over a module.
    ///
    /// # Safety
    /// It is alive, in that context, and owned by nobody else.
    pub(crate) unsafe fn from_raw(raw: LLVMModuleRef, context: Rc<Context>) -> Self {
        Self { raw, context }
    }

    pub(crate) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    /// Hands the module over.
    pub(crate) fn into_raw(self) -> LLVMModuleRef {
        let module = std::mem::ManuallyDrop::new(self);
        // SAFETY: the context's count is given up once, since nothing is dropped; the module is the caller's.
        drop(unsafe { std::ptr::read(&raw const module.context) });
        module.raw
    }

    pub(crate) fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// LLVM's triple; empty where the module has none.
    pub(crate) fn triple(&self) -> String {
        // SAFETY: the module is alive, and so is its text.
        unsafe { c_text(LLVMGetTarget(self.raw)) }
    }

    pub(crate) fn set_triple(&self, triple: &str) {
        let triple = c_string(triple);
        // SAFETY: the module is alive; LLVM copies the text.
        unsafe { LLVMSetTarget(self.raw, triple.as_ptr()) };
    }

    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: the module is alive, and so is its text.
        unsafe { c_text(LLVMGetDataLayoutStr(self.raw)) }
    }

    pub(crate) fn set_data_layout(&self, layout: &str) {
        let layout = c_string(layout);
        // SAFETY: the module is alive; LLVM copies the text.
        unsafe { LLVMSetDataLayout(self.raw, layout.as_ptr()) };
    }

    /// The module as text.
    pub(crate) fn text(&self) -> String {
        // SAFETY: the module is alive; the text is LLVM's to be disposed of.
        unsafe { take_message(LLVMPrintModuleToString(self.raw)) }
    }

    /// All functions, in order.
    pub(crate) fn functions(&self) -> Vec<LLVMValueRef> {
        // SAFETY: the module is alive, and nothing changes it while the list is read.
        unsafe { chain(LLVMGetFirstFunction(self.raw), |value| LLVMGetNextFunction(value)) }
    }

    /// The names of all functions, in order.
    pub(crate) fn function_names(&self) -> Vec<String> {
        self.functions().into_iter().map(name_of).collect()
    }

    /// All global variables, in order.
    pub(crate) fn globals(&self) -> Vec<LLVMValueRef> {
        // SAFETY: as above.
        unsafe { chain(LLVMGetFirstGlobal(self.raw), |value| LLVMGetNextGlobal(value)) }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module is ours, and its context is still alive.
        unsafe { LLVMDisposeModule(self.raw) };
    }
}

/// A list of LLVM's, from its first member on.
pub(crate) fn chain(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<LLVMValueRef> {
    let present = |value: LLVMValueRef| (!value.is_null()).then_some(value);
    std::iter::successors(present(first), |value| present(next(*value))).collect()
}

/// Whether other modules can't see a value.
pub(crate) fn is_local(value: LLVMValueRef) -> bool {
    // SAFETY: the value is alive.
    let linkage = unsafe { LLVMGetLinkage(value) };
    matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
}

/// A value's name.
pub(crate) fn name_of(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: the value is alive, and so is its name.
    unsafe {
        let name = LLVMGetValueName2(value, &raw mut length);
        String::from_utf8_lossy(std::slice::from_raw_parts(name.cast::<u8>(), length)).into_owned()
    }
}

/// Text that LLVM hands over.
///
/// # Safety
/// It is a message of LLVM's, or null.
pub(crate) unsafe fn take_message(message: *mut c_char) -> String {
    // SAFETY: as the caller says.
    unsafe {
        let text = c_text(message);
        if !message.is_null() {
            LLVMDisposeMessage(message);
        }
        text
    }
}

/// Text that LLVM keeps.
///
/// # Safety
/// It is a C string, or null.
pub(crate) unsafe fn c_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text).to_string_lossy().into_owned() }
}

/// Text for LLVM, up to the first NUL.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}
