//! LLVM's target machine: optimisation and code.

use std::ffi::{c_char, c_void};
use std::sync::Once;

use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::target::*;
use llvm_sys::target_machine::*;
use llvm_sys::transforms::pass_builder::*;
use relo_engine::{TargetSpec, suggestion};

use crate::error::CodegenError;
use crate::isolate;
use crate::llvm::{Module, c_string, c_text, take_message};

type Each = extern "C" fn(*mut c_void, bool, *const c_char, usize);

unsafe extern "C" {
    fn reloMachineNames(target: LLVMTargetRef, triple: *const c_char, user: *mut c_void, each: Each);
}

macro_rules! targets {
    ($($init:ident)*) => {
        unsafe extern "C" { $(fn $init();)* }

        /// Makes LLVM's back ends known, once a process.
        fn initialize() {
            static ONCE: Once = Once::new();
            // SAFETY: each may be called at any time.
            ONCE.call_once(|| unsafe { $($init();)* });
        }
    };
}

targets! {
    LLVMInitializeX86TargetInfo LLVMInitializeX86Target LLVMInitializeX86TargetMC
    LLVMInitializeX86AsmPrinter LLVMInitializeX86AsmParser
    LLVMInitializeAArch64TargetInfo LLVMInitializeAArch64Target LLVMInitializeAArch64TargetMC
    LLVMInitializeAArch64AsmPrinter LLVMInitializeAArch64AsmParser
    LLVMInitializeRISCVTargetInfo LLVMInitializeRISCVTarget LLVMInitializeRISCVTargetMC
    LLVMInitializeRISCVAsmPrinter LLVMInitializeRISCVAsmParser
    LLVMInitializeNVPTXTargetInfo LLVMInitializeNVPTXTarget LLVMInitializeNVPTXTargetMC
    LLVMInitializeNVPTXAsmPrinter
    LLVMInitializeAMDGPUTargetInfo LLVMInitializeAMDGPUTarget LLVMInitializeAMDGPUTargetMC
    LLVMInitializeAMDGPUAsmPrinter LLVMInitializeAMDGPUAsmParser
    LLVMInitializeSPIRVTargetInfo LLVMInitializeSPIRVTarget LLVMInitializeSPIRVTargetMC
    LLVMInitializeSPIRVAsmPrinter
}

/// How a target lays out data, in LLVM's words.
///
/// # Errors
/// When LLVM does not know its triple.
pub fn data_layout(target: &TargetSpec) -> Result<String, CodegenError> {
    Ok(Machine::new(target, 0)?.data_layout())
}

/// A machine to compile for.
pub(crate) struct Machine(LLVMTargetMachineRef);

impl Machine {
    /// A machine by LLVM's names.
    ///
    /// # Errors
    /// When LLVM knows no such triple, processor or feature.
    pub(crate) fn new(spec: &TargetSpec, level: u8) -> Result<Self, CodegenError> {
        initialize();
        let TargetSpec { triple, cpu, features, .. } = spec;
        let name = c_string(triple);
        // SAFETY: texts live during the calls; the message is ours to dispose of.
        unsafe {
            let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            if LLVMGetTargetFromTriple(name.as_ptr(), &raw mut target, &raw mut message) != 0 {
                let message = take_message(message);
                return Err(CodegenError::UnknownTriple { triple: triple.to_owned(), message });
            }
            check_names(target, spec)?;
            let (cpu, features) = (c_string(cpu), c_string(features));
            let machine = LLVMCreateTargetMachine(
                target,
                name.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                match level {
                    0 => LLVMCodeGenOptLevel::LLVMCodeGenLevelNone,
                    1 => LLVMCodeGenOptLevel::LLVMCodeGenLevelLess,
                    2 => LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                    _ => LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
                },
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            if machine.is_null() {
                let message = "it makes no machine for it".to_owned();
                return Err(CodegenError::UnknownTriple { triple: triple.to_owned(), message });
            }
            Ok(Self(machine))
        }
    }

    /// How the machine lays out data.
    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: the machine is alive; the text is LLVM's to be disposed of.
        unsafe {
            let layout = LLVMCreateTargetDataLayout(self.0);
            let text = take_message(LLVMCopyStringRepOfTargetData(layout));
            LLVMDisposeTargetData(layout);
            text
        }
    }

    /// Whether input for a triple is for this machine: the architecture decides, in any of its versions.
    pub(crate) fn takes(&self, triple: &str) -> bool {
        let name = c_string(triple);
        // SAFETY: the machine is alive, the text lives during the call; a message is ours to dispose of.
        unsafe {
            let (mut target, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            let known = LLVMGetTargetFromTriple(name.as_ptr(), &raw mut target, &raw mut message) == 0;
            take_message(message);
            known && target == LLVMGetTargetMachineTarget(self.0)
        }
    }

    /// Runs passes by their names.
    ///
    /// # Errors
    /// With LLVM's message.
    pub(crate) fn passes(&self, module: &Module, passes: &str) -> Result<(), CodegenError> {
        let names = c_string(passes);
        isolate::step("optimise this");
        // SAFETY: everything is alive; options and error are disposed of once.
        let message = unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(module.raw(), names.as_ptr(), self.0, options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                None
            } else {
                let text = LLVMGetErrorMessage(error);
                let message = c_text(text);
                LLVMDisposeErrorMessage(text);
                Some(message)
            }
        };
        let said = module.context().take_messages();
        match message {
            None if said.is_empty() => Ok(()),
            message => {
                Err(CodegenError::Llvm { step: "optimise this".into(), message: message.unwrap_or(said) })
            }
        }
    }

    /// Assembly or an object file.
    ///
    /// # Errors
    /// With LLVM's message.
    pub(crate) fn code(&self, module: &Module, object: bool) -> Result<Vec<u8>, CodegenError> {
        let kind =
            if object { LLVMCodeGenFileType::LLVMObjectFile } else { LLVMCodeGenFileType::LLVMAssemblyFile };
        // SAFETY: everything is alive; buffer and message are ours to dispose of.
        unsafe {
            isolate::step("make code of this");
            let (mut message, mut buffer) = (std::ptr::null_mut(), std::ptr::null_mut());
            let failed = LLVMTargetMachineEmitToMemoryBuffer(
                self.0,
                module.raw(),
                kind,
                &raw mut message,
                &raw mut buffer,
            );
            let text = take_message(message);
            let said = module.context().take_messages();
            if failed != 0 || !said.is_empty() {
                let message = if text.is_empty() { said } else { text };
                return Err(CodegenError::Llvm { step: "make code of this".into(), message });
            }
            let bytes = std::slice::from_raw_parts(
                LLVMGetBufferStart(buffer).cast::<u8>(),
                LLVMGetBufferSize(buffer),
            )
            .to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }
}

/// Refuses a processor or feature that LLVM does not know for a target.
///
/// # Safety
/// The target is LLVM's.
unsafe fn check_names(target: LLVMTargetRef, spec: &TargetSpec) -> Result<(), CodegenError> {
    extern "C" fn each(user: *mut c_void, feature: bool, name: *const c_char, length: usize) {
        // SAFETY: `user` is the names below; the text lives during the call.
        unsafe {
            let name = String::from_utf8_lossy(std::slice::from_raw_parts(name.cast(), length)).into_owned();
            (&mut *user.cast::<[Vec<String>; 2]>())[usize::from(feature)].push(name);
        }
    }
    let mut known: [Vec<String>; 2] = Default::default();
    let triple = c_string(&spec.triple);
    // SAFETY: as the caller says; the callee calls back before it returns.
    unsafe { reloMachineNames(target, triple.as_ptr(), (&raw mut known).cast(), each) };
    let [processors, features] = known;
    let check = |what: &'static str, name: &str, known: &[String]| {
        if name.is_empty() || known.iter().any(|one| one == name) {
            return Ok(());
        }
        Err(CodegenError::Processor {
            target: spec.name.clone(),
            what,
            name: name.to_owned(),
            help: suggestion(name, known.iter().map(String::as_str)),
        })
    };
    check("processor", &spec.cpu, &processors)?;
    spec.features
        .split(',')
        .try_for_each(|name| check("feature", name.trim_start_matches(['+', '-']), &features))
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: the machine is ours.
        unsafe { LLVMDisposeTargetMachine(self.0) };
    }
}
