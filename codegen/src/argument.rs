//! Tables whose address whoever starts a kernel hands over; `cpp/Argument.cpp` does the work.

use std::collections::BTreeSet;
use std::ffi::{c_char, c_uint, c_void};

use llvm_sys::core::LLVMGetNamedGlobal;
use llvm_sys::prelude::LLVMValueRef;
use relo_engine::{RuleSet, Setting};
use relo_loader::ArgumentRecord;
use relo_referent::Action;

use crate::error::CodegenError;
use crate::llvm::{Module, c_string, take_message};
use crate::sites::LiveSite;

type Each = extern "C" fn(*mut c_void, *const c_char, usize, c_uint);

unsafe extern "C" {
    fn reloGlobalToArgument(global: LLVMValueRef, user: *mut c_void, each: Each) -> *mut c_char;
}

/// Where the target says so, makes every table the last argument of each kernel that needs it.
///
/// # Errors
/// When something that is no kernel would have to be handed it.
pub(crate) fn arguments(
    module: &Module,
    rules: &RuleSet,
    sites: &[LiveSite],
) -> Result<Vec<ArgumentRecord>, CodegenError> {
    struct Made {
        table: String,
        arguments: Vec<ArgumentRecord>,
    }
    extern "C" fn each(user: *mut c_void, kernel: *const c_char, length: usize, place: c_uint) {
        // SAFETY: `user` is what is made below; the name lives during the call.
        unsafe {
            let made = &mut *user.cast::<Made>();
            let kernel = std::slice::from_raw_parts(kernel.cast(), length);
            made.arguments.push(ArgumentRecord {
                entry: String::from_utf8_lossy(kernel).into_owned(),
                argument: place.into(),
                table: made.table.clone(),
            });
        }
    }
    if rules.target.spec.properties.get("table_argument") != Some(&Setting::Bool(true)) {
        return Ok(Vec::new());
    }
    let is_table = |site: &&LiveSite| {
        rules.strategy(&site.strategy).is_some_and(|strategy| strategy.action == Action::Table)
    };
    let tables: BTreeSet<&String> = sites.iter().filter(is_table).map(|site| &site.symbol).collect();
    let mut made = Made { table: String::new(), arguments: Vec::new() };
    for table in tables {
        made.table.clone_from(table);
        let name = c_string(table);
        // SAFETY: the module is alive; the callee calls back before it returns; the message is ours to dispose of.
        let error = unsafe {
            let global = LLVMGetNamedGlobal(module.raw(), name.as_ptr());
            if global.is_null() {
                continue;
            }
            take_message(reloGlobalToArgument(global, (&raw mut made).cast(), each))
        };
        if !error.is_empty() {
            return Err(CodegenError::Argument { table: table.clone(), reason: error });
        }
    }
    made.arguments.sort_unstable();
    Ok(made.arguments)
}
