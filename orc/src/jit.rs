//! All that is unsafe about ORC: LLVM's C API.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::{Mutex, Once};

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::orc2::lljit::*;
use llvm_sys::orc2::*;
use llvm_sys::prelude::*;
use llvm_sys::target_machine::*;
use llvm_sys::{LLVMLinkage, LLVMValue};
use relo_loader::{LoadError, TargetRecord};

/// Where the data of deferred sites lie: a section whose bytes are in the object, even if all are zero.
const CONSTANT: &CStr = c".data.rel.ro.relo";
const WRITABLE: &CStr = c".data.relo";

macro_rules! target {
    ($($name:ident)*) => {
        unsafe extern "C" { $(fn $name();)* }

        /// Makes this machine's back end known, once a process.
        fn initialize() {
            static ONCE: Once = Once::new();
            // SAFETY: each may be called at any time.
            ONCE.call_once(|| unsafe { $($name();)* });
        }
    };
}

#[cfg(target_arch = "x86_64")]
target! {
    LLVMInitializeX86TargetInfo LLVMInitializeX86Target LLVMInitializeX86TargetMC LLVMInitializeX86AsmPrinter
    LLVMInitializeX86AsmParser
}
#[cfg(target_arch = "aarch64")]
target! {
    LLVMInitializeAArch64TargetInfo LLVMInitializeAArch64Target LLVMInitializeAArch64TargetMC
    LLVMInitializeAArch64AsmPrinter LLVMInitializeAArch64AsmParser
}
#[cfg(target_arch = "riscv64")]
target! {
    LLVMInitializeRISCVTargetInfo LLVMInitializeRISCVTarget LLVMInitializeRISCVTargetMC LLVMInitializeRISCVAsmPrinter
    LLVMInitializeRISCVAsmParser
}

fn refused(reason: String) -> LoadError {
    LoadError::Link { reason }
}

/// A message of LLVM's, which is disposed of.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return "LLVM does not say why".into();
    }
    // SAFETY: it is a text of LLVM's that nobody else has.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}

/// An error of LLVM's, which is disposed of; none where it says that there is none.
unsafe fn take_error(error: LLVMErrorRef) -> Option<String> {
    // SAFETY: the error is the caller's, and so is its text.
    unsafe {
        (!error.is_null()).then(|| {
            let message = LLVMGetErrorMessage(error);
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(message);
            text
        })
    }
}

/// What ORC reports besides the errors that its functions give: it would print it.
type Reports = Mutex<Vec<String>>;

/// One of ORC's JITs, with one object linked.
pub(crate) struct Jit {
    jit: LLVMOrcLLJITRef,
    reports: Box<Reports>,
}

// SAFETY: ORC's sessions may be used by any thread, and are locked.
unsafe impl Send for Jit {}
// SAFETY: as above.
unsafe impl Sync for Jit {}

impl Jit {
    /// Gives an object to a new JIT, with the addresses of symbols that it leaves to be found.
    pub(crate) fn link(object: Vec<u8>, symbols: &[(&str, u64)]) -> Result<Self, LoadError> {
        extern "C" fn report(reports: *mut c_void, error: LLVMErrorRef) {
            // SAFETY: the list lives as long as the session; the error is ours.
            unsafe {
                if let (Some(text), Ok(mut reports)) =
                    (take_error(error), (*reports.cast::<Reports>()).lock())
                {
                    reports.push(text);
                }
            }
        }
        initialize();
        let mut raw = std::ptr::null_mut();
        // SAFETY: no builder means ORC's defaults; the JIT is ours.
        if let Some(reason) = unsafe { take_error(LLVMOrcCreateLLJIT(&raw mut raw, std::ptr::null_mut())) } {
            return Err(refused(reason));
        }
        let jit = Self { jit: raw, reports: Box::default() };
        // SAFETY: the session and its library live as long as the JIT; names and pairs live during the calls; what is
        // added is owned by the JIT from then on.
        unsafe {
            let session = LLVMOrcLLJITGetExecutionSession(raw);
            let reports: *const Reports = &raw const *jit.reports;
            LLVMOrcExecutionSessionSetErrorReporter(session, report, reports.cast_mut().cast());
            let library = LLVMOrcLLJITGetMainJITDylib(raw);
            let mut pairs = Vec::with_capacity(symbols.len());
            for (symbol, address) in symbols {
                let name = jit.name(symbol)?;
                let exported = LLVMJITSymbolGenericFlags::LLVMJITSymbolGenericFlagsExported as u8;
                let flags = LLVMJITSymbolFlags { GenericFlags: exported, TargetFlags: 0 };
                pairs.push(LLVMOrcCSymbolMapPair {
                    Name: LLVMOrcLLJITMangleAndIntern(raw, name.as_ptr()),
                    Sym: LLVMJITEvaluatedSymbol { Address: *address, Flags: flags },
                });
            }
            let cells = LLVMOrcAbsoluteSymbols(pairs.as_mut_ptr(), pairs.len());
            jit.check(LLVMOrcJITDylibDefine(library, cells))?;
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                object.as_ptr().cast(),
                object.len(),
                c"object".as_ptr(),
            );
            jit.check(LLVMOrcLLJITAddObjectFile(raw, library, buffer))?;
        }
        Ok(jit)
    }

    /// The address of a symbol; the first that is asked for has the object linked.
    pub(crate) fn address(&self, symbol: &str) -> Result<u64, LoadError> {
        let name = self.name(symbol)?;
        let mut address = 0;
        // SAFETY: the name lives during the call.
        self.check(unsafe { LLVMOrcLLJITLookup(self.jit, &raw mut address, name.as_ptr()) })?;
        Ok(address)
    }

    fn name(&self, symbol: &str) -> Result<CString, LoadError> {
        CString::new(symbol).map_err(|_| refused("a symbol has a NUL in its name".into()))
    }

    /// What ORC says of an answer, and what it reported meanwhile.
    fn check(&self, error: LLVMErrorRef) -> Result<(), LoadError> {
        // SAFETY: the error is the one that a function just gave.
        let Some(reason) = (unsafe { take_error(error) }) else { return Ok(()) };
        let reports =
            self.reports.lock().map(|mut reports| std::mem::take(&mut *reports)).unwrap_or_default();
        let all: Vec<String> = reports.into_iter().chain([reason]).collect();
        Err(refused(all.join("; ").replace(|character: char| character.is_control(), " ")))
    }
}

impl Drop for Jit {
    fn drop(&mut self) {
        // SAFETY: it was created here. Who drops can't be told of an error, which is disposed of.
        unsafe { take_error(LLVMOrcDisposeLLJIT(self.jit)) };
    }
}

/// A module of IR, with what goes with it.
struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both were made by `parse`; the module goes first.
        unsafe {
            if !self.module.is_null() {
                LLVMDisposeModule(self.module);
            }
            LLVMContextDispose(self.context);
        }
    }
}

impl Module {
    /// Reads IR, as text or bitcode.
    fn parse(ir: &[u8]) -> Result<Self, LoadError> {
        extern "C" fn keep_quiet(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}
        let malformed = |reason: String| LoadError::Malformed { what: "LLVM IR", reason };
        // SAFETY: the buffer is copied, ends in a NUL as LLVM wants, and lives as long as this function needs it.
        unsafe {
            let mut read = Self { context: LLVMContextCreate(), module: std::ptr::null_mut() };
            LLVMContextSetDiagnosticHandler(read.context, Some(keep_quiet), std::ptr::null_mut());
            let buffer =
                LLVMCreateMemoryBufferWithMemoryRangeCopy(ir.as_ptr().cast(), ir.len(), c"IR".as_ptr());
            let mut message = std::ptr::null_mut();
            let failed = LLVMParseIRInContext2(read.context, buffer, &raw mut read.module, &raw mut message);
            LLVMDisposeMemoryBuffer(buffer);
            if failed != 0 {
                return Err(malformed(take_message(message)));
            }
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(read.module, action, &raw mut message);
            let text = take_message(message);
            if failed != 0 { Err(malformed(text)) } else { Ok(read) }
        }
    }

    /// Keeps the data that have sites, each with bytes and a symbol in the object, and keeps LLVM from looking into them.
    fn keep(&self, symbol: &str) {
        // SAFETY: the name lives during the call, and the global is the module's.
        unsafe {
            let global: *mut LLVMValue =
                LLVMGetNamedGlobalWithLength(self.module, symbol.as_ptr().cast(), symbol.len());
            if global.is_null() || LLVMGetInitializer(global).is_null() {
                return;
            }
            if matches!(LLVMGetLinkage(global), LLVMLinkage::LLVMPrivateLinkage) {
                LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage);
            }
            LLVMSetExternallyInitialized(global, 1);
            let section = if LLVMIsGlobalConstant(global) != 0 { CONSTANT } else { WRITABLE };
            LLVMSetGlobalConstant(global, 0);
            LLVMSetSection(global, section.as_ptr());
        }
    }

    /// The module as an object for this machine.
    fn emit(&self, target: &TargetRecord) -> Result<Vec<u8>, LoadError> {
        let text =
            |text: &str| CString::new(text).map_err(|_| refused("the target has a NUL in its name".into()));
        let (triple, cpu, features) = (text(&target.triple)?, text(&target.cpu)?, text(&target.features)?);
        initialize();
        // SAFETY: the texts live during the calls; messages, the machine and the buffer are ours to dispose of.
        unsafe {
            let (mut known, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            if LLVMGetTargetFromTriple(triple.as_ptr(), &raw mut known, &raw mut message) != 0 {
                return Err(refused(take_message(message)));
            }
            let machine = LLVMCreateTargetMachine(
                known,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelDefault,
                LLVMRelocMode::LLVMRelocPIC,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            if machine.is_null() {
                return Err(refused("LLVM has no such machine".into()));
            }
            let (mut buffer, kind) = (std::ptr::null_mut(), LLVMCodeGenFileType::LLVMObjectFile);
            let failed = LLVMTargetMachineEmitToMemoryBuffer(
                machine,
                self.module,
                kind,
                &raw mut message,
                &raw mut buffer,
            );
            LLVMDisposeTargetMachine(machine);
            if failed != 0 {
                return Err(refused(take_message(message)));
            }
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bytes)
        }
    }
}

/// Compiles IR to an object in which these symbols have places.
pub(crate) fn compile(
    ir: &[u8],
    target: &TargetRecord,
    symbols: &BTreeSet<&str>,
) -> Result<Vec<u8>, LoadError> {
    let module = Module::parse(ir)?;
    for symbol in symbols {
        module.keep(symbol);
    }
    module.emit(target)
}
