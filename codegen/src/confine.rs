//! Functions that can't be made portable are left out, so that the others can be; `cpp/Confine.cpp` does the work.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;
use relo_dialect::DialectError;

use crate::error::CodegenError;
use crate::llvm::{Module, c_string, take_message};
use crate::scan::Leak;

type Each = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, usize);

unsafe extern "C" {
    fn reloTakeOut(
        module: LLVMModuleRef,
        names: *const *const c_char,
        reasons: *const *const c_char,
        count: usize,
        user: *mut c_void,
        each: Each,
    ) -> *mut c_char;
}

/// Takes functions out of a module, and what needs them; gives all functions that went, with the reason.
///
/// # Errors
/// When something that others may see, or that runs by itself, needs one of them.
pub(crate) fn take_out(
    module: &Module,
    functions: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, CodegenError> {
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
    let texts: Vec<(CString, CString)> =
        functions.iter().map(|(name, reason)| (c_string(name), c_string(reason))).collect();
    let names: Vec<_> = texts.iter().map(|(name, _)| name.as_ptr()).collect();
    let reasons: Vec<_> = texts.iter().map(|(_, reason)| reason.as_ptr()).collect();
    let mut gone = BTreeMap::new();
    // SAFETY: the module is alive, and so are the texts; the callee calls back before it returns.
    let error = unsafe {
        let (user, count) = ((&raw mut gone).cast(), names.len());
        reloTakeOut(module.raw(), names.as_ptr(), reasons.as_ptr(), count, user, each)
    };
    if error.is_null() {
        return Ok(gone);
    }
    // SAFETY: the message is ours.
    Err(CodegenError::Confine { what: unsafe { take_message(error) } })
}

/// The functions that rules refuse, with the reasons; none where they refuse anything else, too.
pub(crate) fn refused(error: &CodegenError, functions: &[String]) -> BTreeMap<String, String> {
    let CodegenError::Dialect(DialectError::Rejected(rejections)) = error else { return BTreeMap::new() };
    let mut refused = BTreeMap::new();
    for rejection in rejections {
        if !functions.contains(&rejection.symbol) {
            return BTreeMap::new();
        }
        let reason = format!("{} ({})", rejection.message, rejection.rule);
        refused.entry(rejection.symbol.clone()).or_insert(reason);
    }
    refused
}

/// The functions that hold what is left of the session.
pub(crate) fn leaking(leaks: &[Leak], module: &Module) -> BTreeMap<String, String> {
    let functions = module.function_names();
    let reason = |leak: &Leak| format!("in it is left {}", leak.what);
    leaks
        .iter()
        .filter_map(|leak| Some((leak.place.strip_prefix('@')?.to_owned(), reason(leak))))
        .filter(|(name, _)| functions.contains(name))
        .collect()
}
