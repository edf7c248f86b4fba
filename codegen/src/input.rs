//! Input: which kind it is, and LLVM IR as a module.

use std::rc::Rc;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use miette::NamedSource;

use crate::error::CodegenError;
use crate::llvm::{Context, Module, c_string, take_message};

/// The kinds of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// LLVM IR, text or bitcode.
    Llvm,
    /// MLIR, text or bytecode.
    Mlir,
}

/// The kind of an input, by its first bytes and its name.
pub(crate) fn kind(bytes: &[u8], name: &str) -> Kind {
    let mlir =
        bytes.starts_with(b"ML\xEFR") || (name.ends_with(".mlir") && !bytes.starts_with(b"BC\xC0\xDE"));
    if mlir { Kind::Mlir } else { Kind::Llvm }
}

/// Parses and verifies LLVM IR.
///
/// # Errors
/// With the place, where LLVM tells it.
pub(crate) fn parse(context: &Rc<Context>, bytes: &[u8], name: &str) -> Result<Module, CodegenError> {
    let bitcode = bytes.starts_with(b"BC\xC0\xDE") || bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B]);
    let text = if bitcode { String::new() } else { String::from_utf8_lossy(bytes).into_owned() };
    let fail = |message: String| {
        let (message, at) = place(&message, &text);
        let message = if message.is_empty() { "LLVM can't read it".to_owned() } else { message };
        CodegenError::Parse {
            name: name.to_owned(),
            message,
            source_code: NamedSource::new(name, text.clone()),
            at: at.map(Into::into),
        }
    };
    // SAFETY: the buffer is a copy that the parser only reads; buffer and message are ours to dispose of.
    unsafe {
        let buffer_name = c_string(name);
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            buffer_name.as_ptr(),
        );
        let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        let failed = LLVMParseIRInContext2(context.raw(), buffer, &raw mut module, &raw mut message);
        LLVMDisposeMemoryBuffer(buffer);
        let text = take_message(message);
        if failed != 0 || module.is_null() {
            let said = context.take_messages();
            return Err(fail(if text.is_empty() { said } else { text }));
        }
        let module = Module::from_raw(module, context.clone());
        let mut message = std::ptr::null_mut();
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let failed = LLVMVerifyModule(module.raw(), action, &raw mut message);
        let text = take_message(message);
        if failed != 0 { Err(fail(text)) } else { Ok(module) }
    }
}

/// LLVM's `name:12:5: error: what` as what and a byte range of the text.
fn place(message: &str, text: &str) -> (String, Option<(usize, usize)>) {
    let Some((head, what)) = message.split_once(": error: ") else {
        return (message.trim().to_owned(), None);
    };
    let what = what.lines().next().unwrap_or_default().to_owned();
    let mut numbers = head.rsplit(':').map(str::parse::<usize>);
    let (Some(Ok(column)), Some(Ok(line))) = (numbers.next(), numbers.next()) else { return (what, None) };
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (start + column.saturating_sub(1)).min(text.len().saturating_sub(1));
    (what, (!text.is_empty()).then_some((at, 1)))
}
