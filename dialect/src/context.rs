//! MLIR's context, prepared: dialects loaded, diagnostics caught.

use std::ffi::c_void;
use std::fmt;

use mlir_sys::*;

use crate::handle::{printed, text};

/// An MLIR context with everything that relo needs, and nothing that it doesn't.
pub struct Context {
    context: melior::Context,
}

/// How bad MLIR finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MlirSeverity {
    /// The operation failed.
    Error,
    /// It did not.
    Warning,
    /// More about another diagnostic.
    Remark,
}

/// A diagnostic of MLIR or LLVM, with its place as far as they know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MlirDiagnostic {
    /// How bad it is.
    pub severity: MlirSeverity,
    /// What it says.
    pub message: String,
    /// The place, as MLIR prints it; empty where it is not known.
    pub place: String,
    /// What it adds.
    pub notes: Vec<String>,
}

impl fmt::Display for MlirDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n  {note}"))
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

unsafe extern "C" {
    fn reloPrepareContext(context: MlirContext);
}

impl Context {
    /// A context of its own: contexts share nothing.
    pub fn new() -> Self {
        let context = melior::Context::new();
        // SAFETY: the context is alive, and nothing has been made in it yet.
        unsafe { reloPrepareContext(context.to_raw()) };
        Self { context }
    }

    /// melior's context.
    pub fn melior(&self) -> &melior::Context {
        &self.context
    }

    pub(crate) fn raw(&self) -> MlirContext {
        self.context.to_raw()
    }

    /// Runs `f`, and gives what MLIR had to say meanwhile, which is printed nowhere.
    pub fn catching<T>(&self, f: impl FnOnce() -> T) -> (T, Vec<MlirDiagnostic>) {
        unsafe extern "C" fn handle(diagnostic: MlirDiagnosticRaw, user: *mut c_void) -> MlirLogicalResult {
            // SAFETY: `user` is the list below; the diagnostic is alive during the call.
            unsafe { (&mut *user.cast::<Vec<MlirDiagnostic>>()).push(read(diagnostic)) };
            MlirLogicalResult { value: 1 }
        }
        /// Takes the handler away again, even when `f` panics: it points into this call.
        struct Attached(MlirContext, MlirDiagnosticHandlerID);
        impl Drop for Attached {
            fn drop(&mut self) {
                // SAFETY: the context outlives the call, and the handler was attached to it.
                unsafe { mlirContextDetachDiagnosticHandler(self.0, self.1) };
            }
        }
        let mut diagnostics: Vec<MlirDiagnostic> = Vec::new();
        // SAFETY: the context is alive, and the handler is detached before the list goes away.
        let id = unsafe {
            mlirContextAttachDiagnosticHandler(self.raw(), Some(handle), (&raw mut diagnostics).cast(), None)
        };
        let attached = Attached(self.raw(), id);
        let result = f();
        drop(attached);
        (result, diagnostics)
    }
}

type MlirDiagnosticRaw = mlir_sys::MlirDiagnostic;

/// # Safety
/// The diagnostic is alive.
unsafe fn read(diagnostic: MlirDiagnosticRaw) -> MlirDiagnostic {
    // SAFETY: as the caller says; notes live as long as their diagnostic.
    unsafe {
        let place = printed(|append, user| {
            mlirLocationPrint(mlirDiagnosticGetLocation(diagnostic), Some(append), user);
        });
        let notes = (0..mlirDiagnosticGetNumNotes(diagnostic))
            .map(|index| message(mlirDiagnosticGetNote(diagnostic, index)))
            .collect();
        MlirDiagnostic {
            severity: match mlirDiagnosticGetSeverity(diagnostic) {
                severity if severity == MlirDiagnosticSeverity_MlirDiagnosticError => MlirSeverity::Error,
                severity if severity == MlirDiagnosticSeverity_MlirDiagnosticWarning => MlirSeverity::Warning,
                _ => MlirSeverity::Remark,
            },
            message: message(diagnostic),
            place: place_of(&place),
            notes,
        }
    }
}

/// `file:3:5` of `loc("file":3:5)`; nothing of `loc(unknown)`.
fn place_of(printed: &str) -> String {
    let place = printed.trim_start_matches("loc(").trim_end_matches(')').replace('"', "");
    if place == "unknown" { String::new() } else { place }
}

/// # Safety
/// The diagnostic is alive.
unsafe fn message(diagnostic: MlirDiagnosticRaw) -> String {
    // SAFETY: as the caller says.
    printed(|append, user| unsafe { mlirDiagnosticPrint(diagnostic, Some(append), user) })
}

/// Text that lives as long as a context, as a Rust string.
///
/// # Safety
/// The string is alive.
pub(crate) unsafe fn owned(string: MlirStringRef) -> String {
    // SAFETY: as the caller says.
    unsafe { text(string).to_owned() }
}
