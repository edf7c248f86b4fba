//! All that is unsafe about loading: opening libraries, reading and writing memory, calling.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::os::fd::{AsRawFd as _, FromRawFd as _};

use libloading::os::unix;

use crate::call::{Scalar, Signature, Value};
use crate::elf::Elf;
use crate::error::LoadError;
use crate::resolver::Root;

/// A library of this process.
#[derive(Debug)]
pub(crate) struct Library(unix::Library);

impl Library {
    /// The program with all that it is linked to.
    pub(crate) fn process() -> Self {
        Self(unix::Library::this())
    }

    /// A library that is loaded already.
    pub(crate) fn loaded(name: &str) -> Option<Self> {
        // SAFETY: with RTLD_NOLOAD nothing is loaded, so that no initialiser runs.
        unsafe { unix::Library::open(Some(name), unix::RTLD_LAZY | libc::RTLD_NOLOAD) }.ok().map(Self)
    }

    /// A library that the policy allows to load.
    pub(crate) fn open(name: &str) -> Result<Self, String> {
        // SAFETY: its initialisers run, which is what whoever allowed it wants.
        unsafe { unix::Library::open(Some(name), unix::RTLD_NOW | unix::RTLD_LOCAL) }
            .map(Self)
            .map_err(|error| format!("`{name}` can't be loaded: {}", reason(&error)))
    }

    /// The address of a symbol.
    pub(crate) fn address(&self, name: &str) -> Result<u64, String> {
        // SAFETY: the symbol is only taken for its address.
        let symbol = unsafe { self.0.get::<*mut c_void>(name.as_bytes()) };
        symbol
            .map(|symbol| symbol.as_raw_ptr() as u64)
            .map_err(|_| format!("no library here defines `{name}`"))
    }
}

/// What the dynamic linker says: the error itself only names the function that failed.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// The word at an address, if it can be read at all.
pub(crate) fn read_word(address: u64) -> Result<u64, String> {
    let mut word = 0u64;
    let local = libc::iovec { iov_base: (&raw mut word).cast(), iov_len: 8 };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: 8 };
    // SAFETY: the kernel checks the remote range: reading outside what is mapped fails instead of faulting.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    if read == 8 { Ok(word) } else { Err(format!("the word at {address:#x} can't be read")) }
}

/// A loaded artifact. Dropping it unloads the code, then lets go of its roots.
pub struct Image {
    library: unix::Library,
    base: u64,
    elf: Elf,
    entries: Vec<String>,
    // After the library: what the code refers to outlives it.
    _roots: Vec<Root>,
}

/// What to write where: virtual address, width in bits, word.
pub(crate) type Write = (u64, u32, u64);

impl Image {
    /// Loads the bytes of a shared object and writes its words. Every write lies in writable data of the object.
    pub(crate) fn open(
        bytes: &[u8],
        elf: Elf,
        writes: &[Write],
        entries: Vec<String>,
        roots: Vec<Root>,
    ) -> Result<Self, LoadError> {
        let file = anonymous_file(bytes)?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: its initialisers run; the artifact is the one that was hashed, as nobody else has the file.
        let library = unsafe { unix::Library::open(Some(&path), unix::RTLD_NOW | unix::RTLD_LOCAL) }
            .map_err(|error| LoadError::Link { reason: reason(&error) })?;
        let handle = library.into_raw();
        // SAFETY: the handle is the one that was just given out, and goes back into its owner.
        let (base, library) = unsafe {
            let mut map: *mut LinkMap = std::ptr::null_mut();
            let found = libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast());
            let base = if found == 0 && !map.is_null() { Some((*map).base) } else { None };
            (base, unix::Library::from_raw(handle))
        };
        let base = base.ok_or_else(|| LoadError::Link { reason: "it has no load address".into() })?;
        let image = Self { library, base, elf, entries, _roots: roots };
        image.write(writes)?;
        Ok(image)
    }

    fn write(&self, writes: &[Write]) -> Result<(), LoadError> {
        if writes.is_empty() {
            return Ok(());
        }
        let sealed =
            self.elf.relro.clone().map(|range| pages(self.base + range.start..self.base + range.end));
        if let Some(range) = &sealed {
            protect(range, libc::PROT_READ | libc::PROT_WRITE)?;
        }
        for (at, width, word) in writes {
            let address = (self.base + at) as *mut u8;
            let bytes = word.to_ne_bytes();
            // SAFETY: the range lies in writable data of the image, which is loaded and not yet running; `at` was
            // checked against its symbols and segments.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address, (*width / 8) as usize) };
        }
        match &sealed {
            Some(range) => protect(range, libc::PROT_READ),
            None => Ok(()),
        }
    }

    /// The functions that the manifest names.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// The address of an exported symbol.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn address(&self, name: &str) -> Result<u64, LoadError> {
        // SAFETY: the symbol is only taken for its address.
        let symbol = CString::new(name).ok().and_then(|name| {
            unsafe { self.library.get::<*mut c_void>(name.as_bytes_with_nul()) }
                .ok()
                .map(|found| found.as_raw_ptr())
        });
        symbol.map(|pointer| pointer as u64).ok_or_else(|| LoadError::Entry {
            name: name.to_owned(),
            help: format!("it has: {}", self.entries.join(", ")),
        })
    }

    /// Calls a function as its signature says; also gives what it wrote to `out` parameters, in order.
    ///
    /// # Errors
    /// When there is no such function, or the arguments don't fit.
    ///
    /// # Safety
    /// The function has this signature, and does with its arguments what the caller expects.
    pub unsafe fn call(
        &self,
        name: &str,
        signature: &Signature,
        arguments: &[Value],
    ) -> Result<(Option<Value>, Vec<Value>), LoadError> {
        let address = self.address(name)? as *const c_void;
        let wanted = signature.parameters.iter().filter(|(_, out)| !out).count();
        if wanted != arguments.len() {
            let message = format!("`{name}` takes {wanted} arguments, not {}", arguments.len());
            return Err(LoadError::Signature { message });
        }
        let mut outs = vec![0u64; signature.parameters.len()];
        let (mut integers, mut floats) = ([0u64; 6], [0f64; 8]);
        let (mut next_integer, mut next_float) = (0, 0);
        let mut values = arguments.iter();
        for ((scalar, out), cell) in signature.parameters.iter().zip(&mut outs) {
            let bits = if *out {
                (&raw mut *cell) as u64
            } else {
                scalar.bits(*values.next().expect("they were counted"))
            };
            if scalar.is_float() && !out {
                floats[next_float] = f64::from_bits(bits);
                next_float += 1;
            } else {
                integers[next_integer] = bits;
                next_integer += 1;
            }
        }
        let [a, b, c, d, e, f] = integers;
        let [p, q, r, s, t, u, v, w] = floats;
        // In the conventions of x86-64 and AArch64 integers and floating-point numbers go in registers of their own,
        // each kind in order: one call with all of them filled serves every signature that fits into registers.
        // SAFETY: the caller vouches for the signature; registers that the function does not look at do no harm.
        let bits = unsafe {
            if signature.result.is_some_and(Scalar::is_float) {
                let call: extern "C" fn(
                    u64,
                    u64,
                    u64,
                    u64,
                    u64,
                    u64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                ) -> f64 = std::mem::transmute(address);
                call(a, b, c, d, e, f, p, q, r, s, t, u, v, w).to_bits()
            } else {
                let call: extern "C" fn(
                    u64,
                    u64,
                    u64,
                    u64,
                    u64,
                    u64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                    f64,
                ) -> u64 = std::mem::transmute(address);
                call(a, b, c, d, e, f, p, q, r, s, t, u, v, w)
            }
        };
        let outs = signature.parameters.iter().zip(outs).filter(|((_, out), _)| *out);
        let outs = outs.map(|((scalar, _), bits)| scalar.read_bits(bits)).collect();
        Ok((signature.result.map(|scalar| scalar.read_bits(bits)), outs))
    }

    /// The word at a symbol plus bytes, as it is in memory now.
    ///
    /// # Errors
    /// When the image has no such symbol.
    pub fn word(&self, symbol: &str, offset: u64) -> Result<u64, LoadError> {
        let place =
            self.elf.place(symbol).filter(|place| offset.checked_add(8).is_some_and(|end| end <= place.size));
        let place = place.ok_or_else(|| LoadError::Entry { name: symbol.to_owned(), help: String::new() })?;
        read_word(self.base + place.address + offset).map_err(|reason| LoadError::Link { reason })
    }
}

/// The head of glibc's `struct link_map`.
#[repr(C)]
struct LinkMap {
    /// The difference between addresses in the file and in memory.
    base: u64,
}

/// A file that nobody else can change, with these bytes.
fn anonymous_file(bytes: &[u8]) -> Result<File, LoadError> {
    let fail = |error: std::io::Error| LoadError::Link { reason: error.to_string() };
    // SAFETY: the descriptor is new, and owned by the file from here on.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"relo".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(fail(std::io::Error::last_os_error()));
        }
        File::from_raw_fd(descriptor)
    };
    file.write_all(bytes).map_err(fail)?;
    Ok(file)
}

/// The pages that the dynamic linker sealed: like it, the last one only if the range fills it.
fn pages(range: Range<u64>) -> Range<u64> {
    // SAFETY: this only asks for a constant of the system.
    let size = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    range.start / size * size..range.end / size * size
}

fn protect(range: &Range<u64>, protection: i32) -> Result<(), LoadError> {
    let length = (range.end - range.start) as usize;
    // SAFETY: the pages are the image's own read-only relocated data, which nothing else lies in.
    let result = unsafe { libc::mprotect(range.start as *mut c_void, length, protection) };
    if result == 0 {
        return Ok(());
    }
    Err(LoadError::Protect { reason: std::io::Error::last_os_error().to_string() })
}
