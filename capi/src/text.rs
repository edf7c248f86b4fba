//! Text and referents, there and back.

use std::ffi::{CStr, CString, c_char};

use ::relo_referent::Referent;

use crate::error::Error;

/// The kinds of referent.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum relo_kind {
    /// An identity that the host knows by a key.
    Object = 0,
    /// The address of a named function or datum.
    Symbol = 1,
    /// The word that is stored at a symbol plus an offset.
    Word = 2,
}

/// What a host reference refers to. What its kind has not is NULL or 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct relo_referent {
    /// Which of the others count.
    pub kind: relo_kind,
    /// Of an object: the language runtime that owns it.
    pub runtime: *const c_char,
    /// Of an object: the runtime's own name of it.
    pub key: *const c_char,
    /// Of a symbol or word: the name.
    pub symbol: *const c_char,
    /// Of a symbol or word: the library that defines it, NULL for anywhere in the process.
    pub library: *const c_char,
    /// Of a word: bytes from the symbol to it.
    pub offset: u64,
}

/// A referent and the texts it points to.
#[derive(Debug)]
pub(crate) struct Lent {
    referent: relo_referent,
    _texts: [Option<CString>; 2],
}

// SAFETY: the pointers are into the texts, which nobody changes.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    pub(crate) fn new(referent: &Referent) -> Self {
        let (kind, first, second, offset) = match referent {
            Referent::Object { runtime, key, .. } => (relo_kind::Object, runtime, Some(key), 0),
            Referent::Symbol { name, library, .. } => (relo_kind::Symbol, name, library.as_ref(), 0),
            Referent::Word { symbol, library, offset } => {
                (relo_kind::Word, symbol, library.as_ref(), *offset)
            }
        };
        let texts = [Some(c_string(first)), second.map(|text| c_string(text))];
        let [first, second] =
            texts.each_ref().map(|text| text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()));
        let none = std::ptr::null();
        let is_object = kind == relo_kind::Object;
        let referent = relo_referent {
            kind,
            runtime: if is_object { first } else { none },
            key: if is_object { second } else { none },
            symbol: if is_object { none } else { first },
            library: if is_object { none } else { second },
            offset,
        };
        Self { referent, _texts: texts }
    }

    pub(crate) fn as_ptr(&self) -> *const relo_referent {
        &raw const self.referent
    }
}

/// Text as C has it: it ends where a NUL would stand.
pub(crate) fn c_string(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// Text that C hands over.
///
/// # Safety
/// It is NULL or a C string.
pub(crate) unsafe fn text<'a>(what: &str, text: *const c_char) -> Result<&'a str, Error> {
    if text.is_null() {
        return Err(Error::argument(format!("{what} is NULL")));
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| Error::argument(format!("{what} is not UTF-8")))
}

/// Bytes that C hands over.
///
/// # Safety
/// It is NULL or points to so many bytes.
pub(crate) unsafe fn bytes<'a>(what: &str, start: *const u8, size: usize) -> Result<&'a [u8], Error> {
    if start.is_null() || isize::try_from(size).is_err() {
        return Err(Error::argument(format!("{what} is NULL or too large")));
    }
    // SAFETY: as the caller says.
    Ok(unsafe { std::slice::from_raw_parts(start, size) })
}
