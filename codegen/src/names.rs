//! Names that the target's assembler accepts, before LLVM sees them: it ends the process on some, changes some, and
//! writes out others for the assembler to refuse.

use llvm_sys::core::LLVMSetValueName2;
use llvm_sys::prelude::LLVMValueRef;
use regex::Regex;
use relo_engine::TargetSpec;

use crate::error::CodegenError;
use crate::llvm::{Module, is_local, name_of};

/// Renames what only the module sees, and refuses any other name that the target does not accept.
///
/// # Errors
/// With the first such name.
pub(crate) fn check_names(module: &Module, spec: &TargetSpec) -> Result<(), CodegenError> {
    let Some(pattern) = &spec.names else { return Ok(()) };
    let accepted = Regex::new(&format!("^(?:{pattern})$"))
        .map_err(|error| CodegenError::Llvm { step: "check names".into(), message: error.to_string() })?;
    for value in module.functions().into_iter().chain(module.globals()) {
        let name = name_of(value);
        if name.starts_with("llvm.") || accepted.is_match(&name) {
            continue;
        }
        if is_local(value) {
            rename(value, &name);
        }
        if !accepted.is_match(&name_of(value)) {
            return Err(CodegenError::Name {
                target: spec.name.clone(),
                symbol: name,
                pattern: pattern.clone(),
            });
        }
    }
    Ok(())
}

/// Letters and digits stay. LLVM numbers what would have the same name twice.
fn rename(value: LLVMValueRef, name: &str) {
    let letters = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let renamed: String = "local_".chars().chain(name.chars().map(letters)).collect();
    // SAFETY: the value is alive; LLVM copies the name.
    unsafe { LLVMSetValueName2(value, renamed.as_ptr().cast(), renamed.len()) };
}
