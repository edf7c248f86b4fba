//! Errors as data, and the border that no panic crosses.

use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use miette::Diagnostic;
use relo_loader::{LoadError, ManifestError};

use crate::text::{Lent, c_string, relo_referent};

/// Why a call failed.
pub struct relo_error {
    code: CString,
    message: CString,
    help: Option<CString>,
    details: Vec<Detail>,
}

/// One of several things that are wrong.
struct Detail {
    referent: Option<Lent>,
    message: CString,
}

/// The error as Rust passes it on.
pub(crate) struct Error(Box<relo_error>);

impl Error {
    /// A mistake of the caller's.
    pub(crate) fn argument(message: String) -> Self {
        Self::new("relo::capi::argument", &message, Some("see what relo.h says about the call".to_owned()))
    }

    fn new(code: &str, message: &str, help: Option<String>) -> Self {
        Self(Box::new(relo_error {
            code: c_string(code),
            message: c_string(message),
            help: help.map(|help| c_string(&help)),
            details: Vec::new(),
        }))
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        let text = |part: Option<Box<dyn std::fmt::Display + '_>>| part.map(|part| part.to_string());
        let whole = error.to_string();
        // What is listed below the first line are the details.
        let details = match &error {
            LoadError::Unresolved(all) => all
                .iter()
                .map(|one| Detail {
                    referent: Some(Lent::new(&one.referent)),
                    message: c_string(&one.reason),
                })
                .collect(),
            LoadError::Manifest(ManifestError::Inconsistent { problems }) => {
                problems.iter().map(|one| Detail { referent: None, message: c_string(one) }).collect()
            }
            _ => Vec::new(),
        };
        let message = match whole.split_once(":\n") {
            Some((first, _)) if !details.is_empty() => first,
            _ => &whole,
        };
        let code = text(error.code()).unwrap_or_else(|| "relo::load".to_owned());
        let mut made = Self::new(&code, message, text(error.help()));
        made.0.details = details;
        made
    }
}

impl From<ManifestError> for Error {
    fn from(error: ManifestError) -> Self {
        LoadError::from(error).into()
    }
}

/// Runs what may fail or panic, and gives C what it expects of a call: NULL, or why not.
pub(crate) fn guard(action: impl FnOnce() -> Result<(), Error>) -> *mut relo_error {
    // What an action leaves half done is dropped while unwinding, and nothing else sees it.
    let error = match catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(error)) => error,
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Error::new(
                "relo::capi::panic",
                &format!("relo failed: {said}"),
                Some("please report it".to_owned()),
            )
        }
    };
    Box::into_raw(error.0)
}

/// Frees an error; NULL is none.
///
/// # Safety
/// A call returned it, and it was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_error_free(error: *mut relo_error) {
    if !error.is_null() {
        // SAFETY: `guard` gave it out, as the caller says.
        drop(unsafe { Box::from_raw(error) });
    }
}

/// What kind of error it is, as in `relo::load::unresolved`: stable, for programs.
#[unsafe(no_mangle)]
pub extern "C" fn relo_error_code(error: &relo_error) -> *const c_char {
    error.code.as_ptr()
}

/// What is wrong: a sentence.
#[unsafe(no_mangle)]
pub extern "C" fn relo_error_message(error: &relo_error) -> *const c_char {
    error.message.as_ptr()
}

/// What to do about it, or NULL.
#[unsafe(no_mangle)]
pub extern "C" fn relo_error_help(error: &relo_error) -> *const c_char {
    error.help.as_ref().map_or(std::ptr::null(), |help| help.as_ptr())
}

/// How many details there are: of referents that can't be resolved each is one, and of contradictions in a manifest.
#[unsafe(no_mangle)]
pub extern "C" fn relo_error_count(error: &relo_error) -> usize {
    error.details.len()
}

/// What is wrong with a detail, counted from 0; NULL past the last.
#[unsafe(no_mangle)]
pub extern "C" fn relo_error_detail(error: &relo_error, index: usize) -> *const c_char {
    error.details.get(index).map_or(std::ptr::null(), |detail| detail.message.as_ptr())
}

/// The referent that a detail is about; NULL where it is about none.
#[unsafe(no_mangle)]
pub extern "C" fn relo_error_referent(error: &relo_error, index: usize) -> *const relo_referent {
    let detail = error.details.get(index).and_then(|detail| detail.referent.as_ref());
    detail.map_or(std::ptr::null(), Lent::as_ptr)
}
