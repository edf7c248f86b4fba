//! relo's loader for hosts in C: what `include/relo.h` declares.
//!
//! A host makes a [`resolver`] out of what it knows, loads an artifact into an [`image`] with it, and calls the image's
//! functions. Whatever fails is an [`error`], as data. Panics stop at the border ([`error::guard`]).
#![allow(unsafe_code, reason = "C hands over pointers")]
#![allow(non_camel_case_types, reason = "the names are C's")]

pub mod error;
pub mod image;
pub mod resolver;
pub mod text;

use std::ffi::c_char;

/// The version of this interface. It grows when a host has to be compiled again.
pub const RELO_ABI: u32 = 1;

/// The version of the interface that the library has: a host compares it with `RELO_ABI`.
#[unsafe(no_mangle)]
pub extern "C" fn relo_abi() -> u32 {
    RELO_ABI
}

/// The version of relo, as text.
#[unsafe(no_mangle)]
pub extern "C" fn relo_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
