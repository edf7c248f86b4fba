//! An MLIR module: read, verified, written.

use std::ffi::c_void;

use mlir_sys::*;
use relo_engine::Op;

use crate::context::{Context, MlirDiagnostic, MlirSeverity};
use crate::error::DialectError;
use crate::handle::{op_handle, printed, string_ref};
use crate::readable::unreadable;

unsafe extern "C" {
    fn reloParse(
        context: MlirContext,
        source: MlirStringRef,
        name: MlirStringRef,
        layout: MlirStringRef,
    ) -> MlirModule;
    fn reloParseAsIs(context: MlirContext, source: MlirStringRef) -> MlirModule;
}

/// A module in a [`Context`].
pub struct Module<'c> {
    context: &'c Context,
    module: MlirModule,
}

impl<'c> Module<'c> {
    /// Reads MLIR, text or bytecode; `name` is what diagnostics call it. A module that says nothing of its layout has
    /// MLIR's own, which is no target's: [`Module::parse_for`] is the way to code that is compiled.
    ///
    /// # Errors
    /// When it does not parse or verify.
    pub fn parse(context: &'c Context, bytes: &[u8], name: &str) -> Result<Self, DialectError> {
        Self::parse_for(context, bytes, name, "")
    }

    /// Reads MLIR for a target: where the module does not say how types are laid out, `layout` does, in LLVM's words.
    ///
    /// # Errors
    /// When it does not parse or verify.
    pub fn parse_for(
        context: &'c Context,
        bytes: &[u8],
        name: &str,
        layout: &str,
    ) -> Result<Self, DialectError> {
        let fault = if bytes.starts_with(b"ML\xEFR") { None } else { unreadable(bytes) };
        if let Some((byte, message)) = fault {
            let (severity, place) = (MlirSeverity::Error, format!("{name}: byte {byte}"));
            let diagnostic = MlirDiagnostic { severity, message, place, notes: Vec::new() };
            return Err(refused(bytes, name, vec![diagnostic], |text| span(text, byte)));
        }
        // MLIR wants a terminating NUL behind text.
        let mut owned = bytes.to_vec();
        owned.push(0);
        let source = MlirStringRef { data: owned.as_ptr().cast(), length: bytes.len() };
        // SAFETY: context, text, name and layout are alive during the call.
        let parse = || unsafe { reloParse(context.raw(), source, string_ref(name), string_ref(layout)) };
        let (module, diagnostics) = context.catching(parse);
        if !module.ptr.is_null() {
            return Ok(Self { context, module });
        }
        let place = diagnostics.first().map(|first| first.place.clone()).unwrap_or_default();
        Err(refused(bytes, name, diagnostics, |text| span(text, offset(text, place.strip_prefix(name)?)?)))
    }

    /// Reads MLIR text that need not verify; `None` where it does not parse.
    pub(crate) fn parse_as_is(context: &'c Context, text: &str) -> Option<Self> {
        // MLIR wants a terminating NUL behind text.
        let owned = format!("{text}\0");
        let source = MlirStringRef { data: owned.as_ptr().cast(), length: text.len() };
        // SAFETY: context and text are alive during the call.
        let (module, _) = context.catching(|| unsafe { reloParseAsIs(context.raw(), source) });
        (!module.ptr.is_null()).then_some(Self { context, module })
    }

    /// Takes over a module.
    ///
    /// # Safety
    /// It is alive, in that context, and owned by nobody else.
    pub(crate) unsafe fn from_raw(context: &'c Context, module: MlirModule) -> Self {
        Self { context, module }
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    pub(crate) fn raw(&self) -> MlirModule {
        self.module
    }

    /// The module as MLIR's C API has it; it stays owned by `self`.
    pub fn to_raw(&self) -> MlirModule {
        self.module
    }

    pub(crate) fn operation(&self) -> MlirOperation {
        // SAFETY: the module is alive.
        unsafe { mlirModuleGetOperation(self.module) }
    }

    /// All operations, each before those inside it.
    pub(crate) fn operations(&self) -> Vec<Op> {
        unsafe extern "C" fn visit(op: MlirOperation, user: *mut c_void) -> MlirWalkResult {
            // SAFETY: `user` is the list below.
            unsafe { &mut *user.cast::<Vec<Op>>() }.push(op_handle(op));
            MlirWalkResult_MlirWalkResultAdvance
        }
        let mut all: Vec<Op> = Vec::new();
        // SAFETY: the module is alive; the walk calls back before it returns.
        unsafe {
            let user = (&raw mut all).cast();
            mlirOperationWalk(self.operation(), Some(visit), user, MlirWalkOrder_MlirWalkPreOrder);
        }
        all
    }

    /// Checks everything that the dialects promise.
    ///
    /// # Errors
    /// With MLIR's diagnostics; `when` says after which step.
    pub fn verify(&self, when: &str) -> Result<(), DialectError> {
        // SAFETY: the module is alive.
        let (ok, diagnostics) = self.context.catching(|| unsafe { mlirOperationVerify(self.operation()) });
        if ok { Ok(()) } else { Err(DialectError::Invalid { when: when.to_owned(), diagnostics }) }
    }

    /// The module as MLIR prints it, without locations.
    pub fn text(&self) -> String {
        // SAFETY: the module is alive; the printer calls back before it returns.
        printed(|append, user| unsafe { mlirOperationPrint(self.operation(), Some(append), user) })
    }

    /// The module as MLIR's bytecode.
    pub fn bytecode(&self) -> Vec<u8> {
        unsafe extern "C" fn append(part: MlirStringRef, user: *mut c_void) {
            // SAFETY: `user` is the buffer below; the part lives during the call.
            unsafe {
                let bytes = std::slice::from_raw_parts(part.data.cast::<u8>(), part.length);
                (&mut *user.cast::<Vec<u8>>()).extend_from_slice(bytes);
            }
        }
        let mut buffer: Vec<u8> = Vec::new();
        // SAFETY: the module is alive; the writer calls back before it returns.
        unsafe { mlirOperationWriteBytecode(self.operation(), Some(append), (&raw mut buffer).cast()) };
        buffer
    }

    /// Runs one of MLIR's own passes, by its command-line name.
    ///
    /// # Errors
    /// When there is no such pass, or it fails.
    pub fn run_pass(&mut self, pipeline: &str) -> Result<(), DialectError> {
        // SAFETY: the manager lives during the block; the passes are registered before they are named.
        let (ok, diagnostics) = self.context.catching(|| unsafe {
            static REGISTER: std::sync::Once = std::sync::Once::new();
            REGISTER.call_once(|| mlirRegisterTransformsPasses());
            let manager = mlirPassManagerCreate(self.context.raw());
            let parsed = mlirParsePassPipeline(
                mlirPassManagerGetAsOpPassManager(manager),
                string_ref(pipeline),
                None,
                std::ptr::null_mut(),
            );
            let ok = parsed.value != 0 && mlirPassManagerRunOnOp(manager, self.operation()).value != 0;
            mlirPassManagerDestroy(manager);
            ok
        });
        if ok {
            Ok(())
        } else {
            Err(DialectError::Invalid { when: format!("in pass {pipeline}"), diagnostics })
        }
    }
}

/// The error of an input, with what of it can be shown.
fn refused(
    bytes: &[u8],
    name: &str,
    diagnostics: Vec<MlirDiagnostic>,
    at: impl FnOnce(&str) -> Option<miette::SourceSpan>,
) -> DialectError {
    let text = std::str::from_utf8(bytes).unwrap_or_default().to_owned();
    let at = at(&text);
    DialectError::Parse {
        name: name.to_owned(),
        diagnostics,
        source_code: miette::NamedSource::new(name, text),
        at,
    }
}

/// The character at a byte, if the text has it.
fn span(text: &str, byte: usize) -> Option<miette::SourceSpan> {
    (byte < text.len()).then(|| (byte, 1).into())
}

/// The byte of `:12:5` in a text.
fn offset(text: &str, place: &str) -> Option<usize> {
    let mut numbers = place.split(':').skip(1).map(str::parse::<usize>);
    let (line, column) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    start.checked_add(column.checked_sub(1)?)
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: the module is ours, and nothing refers to it any more.
        unsafe { mlirModuleDestroy(self.module) };
    }
}
