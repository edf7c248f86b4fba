//! Kinds of artifact, and how a module becomes one.

use std::ffi::c_char;
use std::fmt;
use std::str::FromStr;

use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::{LLVMDisposeMemoryBuffer, LLVMGetBufferSize, LLVMGetBufferStart};

use crate::error::CodegenError;
use crate::isolate;
use crate::llvm::{Module, c_string, take_message};
use crate::machine::Machine;

unsafe extern "C" {
    fn reloLinkElf(arguments: *const *const c_char, count: usize) -> *mut c_char;
}

/// A kind of artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Emit {
    /// LLVM IR as text.
    Llvm,
    /// LLVM IR as bitcode.
    Bitcode,
    /// The target's assembly.
    Assembly,
    /// NVIDIA's assembly, which is what the target's assembly is there.
    Ptx,
    /// SPIR-V, binary.
    SpirV,
    /// An object file.
    Object,
    /// A shared object.
    SharedObject,
}

impl Emit {
    /// All kinds, with the names that users write.
    pub const ALL: [(&'static str, Self); 7] = [
        ("llvm", Self::Llvm),
        ("bitcode", Self::Bitcode),
        ("assembly", Self::Assembly),
        ("ptx", Self::Ptx),
        ("spirv", Self::SpirV),
        ("object", Self::Object),
        ("shared-object", Self::SharedObject),
    ];

    /// How its files' names end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Llvm => "ll",
            Self::Bitcode => "bc",
            Self::Assembly => "s",
            Self::Ptx => "ptx",
            Self::SpirV => "spv",
            Self::Object => "o",
            Self::SharedObject => "so",
        }
    }

    /// Whether it is LLVM IR, which can be compiled again.
    pub fn is_ir(self) -> bool {
        matches!(self, Self::Llvm | Self::Bitcode)
    }
}

impl fmt::Display for Emit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.into_iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for Emit {
    type Err = CodegenError;

    fn from_str(text: &str) -> Result<Self, CodegenError> {
        Self::ALL.into_iter().find(|(name, _)| *name == text).map(|(_, kind)| kind).ok_or_else(|| {
            CodegenError::Emit {
                name: text.to_owned(),
                help: format!("there are: {}", Self::ALL.map(|(name, _)| name).join(", ")),
            }
        })
    }
}

/// The bytes of an artifact.
///
/// # Errors
/// When LLVM or the linker fails.
pub(crate) fn emit(
    module: &Module,
    machine: &Machine,
    kind: Emit,
    link: &[String],
) -> Result<Vec<u8>, CodegenError> {
    match kind {
        Emit::Llvm => Ok(module.text().into_bytes()),
        Emit::Bitcode => Ok(bitcode(module)),
        Emit::Assembly | Emit::Ptx => machine.code(module, false),
        Emit::SpirV | Emit::Object => machine.code(module, true),
        Emit::SharedObject => shared_object(&machine.code(module, true)?, link),
    }
}

/// The bytes of a module as IR, for no target in particular.
///
/// # Errors
/// When another kind is asked for.
pub(crate) fn ir(module: &Module, kind: Emit) -> Result<Vec<u8>, CodegenError> {
    match kind {
        Emit::Llvm => Ok(module.text().into_bytes()),
        Emit::Bitcode => Ok(bitcode(module)),
        _ => Err(CodegenError::Emit {
            name: kind.to_string(),
            help: "what is linked is llvm or bitcode: compile it then".into(),
        }),
    }
}

fn bitcode(module: &Module) -> Vec<u8> {
    // SAFETY: the module is alive; the buffer is ours to dispose of.
    unsafe {
        let buffer = LLVMWriteBitcodeToMemoryBuffer(module.raw());
        let bytes =
            std::slice::from_raw_parts(LLVMGetBufferStart(buffer).cast::<u8>(), LLVMGetBufferSize(buffer))
                .to_vec();
        LLVMDisposeMemoryBuffer(buffer);
        bytes
    }
}

/// Links an object with lld, in this process. The linker reads and writes files: they are temporary, and their names
/// don't get into the result.
fn shared_object(object: &[u8], link: &[String]) -> Result<Vec<u8>, CodegenError> {
    isolate::step("link this");
    let fail = |message: String| CodegenError::Llvm { step: "link this".into(), message };
    let io = |error: std::io::Error| fail(error.to_string());
    let folder = tempfile::tempdir().map_err(io)?;
    let (input, output) = (folder.path().join("module.o"), folder.path().join("module.so"));
    std::fs::write(&input, object).map_err(io)?;
    let mut arguments =
        vec!["ld.lld", "-shared", "--build-id=none", "-z", "relro", "-z", "now", "-z", "noexecstack"]
            .into_iter()
            .map(c_string)
            .collect::<Vec<_>>();
    arguments.extend(link.iter().map(|argument| c_string(argument)));
    arguments.push(c_string("-o"));
    arguments.push(c_string(&output.to_string_lossy()));
    arguments.push(c_string(&input.to_string_lossy()));
    let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    // SAFETY: the arguments live during the call; the message is ours to dispose of.
    unsafe {
        let error = reloLinkElf(pointers.as_ptr(), pointers.len());
        if !error.is_null() {
            return Err(fail(take_message(error).trim().to_owned()));
        }
    }
    std::fs::read(&output).map_err(io)
}
