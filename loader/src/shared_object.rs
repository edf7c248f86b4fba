//! All that is unsafe about loading: opening libraries, reading and writing memory, calling.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use libffi::middle::{Arg, Cif, CodePtr, Type};
use libloading::os::unix;

use crate::call::{Scalar, Signature, Value};
use crate::error::{LoadError, quoted};
use crate::fill::Write;
use crate::image::Image;
use crate::resolver::{Root, stored};

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
            .map_err(|error| format!("{} can't be loaded: {}", quoted(name), reason(&error)))
    }

    /// The address of a symbol.
    pub(crate) fn address(&self, name: &str) -> Result<u64, String> {
        // A weak symbol may be found and null, which is no address either.
        find(&self.0, name).ok_or_else(|| format!("no library here defines {}", quoted(name)))
    }
}

/// What the dynamic linker says: the error itself only names the function that failed. It names symbols as they are.
pub(crate) fn reason(error: &libloading::Error) -> String {
    let text = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    text.replace(char::is_control, "\u{fffd}")
}

fn find(library: &unix::Library, name: &str) -> Option<u64> {
    let name = CString::new(name).ok()?;
    // SAFETY: the symbol is only taken for its address.
    let symbol = unsafe { library.get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?;
    Some(symbol.as_raw_ptr() as u64).filter(|address| *address != 0)
}

/// The size in bytes of the symbol at an address, where the dynamic linker knows it.
#[cfg(target_env = "gnu")]
pub(crate) fn symbol_size(address: u64) -> Option<u64> {
    const RTLD_DL_SYMENT: i32 = 1;
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let mut symbol: *mut c_void = std::ptr::null_mut();
    // SAFETY: any address may be asked about. The answer is filled in where it is not 0, and then the symbol is null or
    // an entry of a loaded library's symbol table, which the library's owner keeps loaded.
    unsafe {
        let found =
            libc::dladdr1(address as *const c_void, info.as_mut_ptr(), &raw mut symbol, RTLD_DL_SYMENT);
        if found == 0 || symbol.is_null() || info.assume_init().dli_saddr as u64 != address {
            return None;
        }
        #[cfg(target_pointer_width = "64")]
        let size = (*symbol.cast::<libc::Elf64_Sym>()).st_size;
        #[cfg(target_pointer_width = "32")]
        let size = (*symbol.cast::<libc::Elf32_Sym>()).st_size.into();
        Some(size).filter(|size| *size > 0)
    }
}

/// Other C libraries don't tell.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn symbol_size(_address: u64) -> Option<u64> {
    None
}

/// The word at an address, if it can be read at all.
pub(crate) fn read_word(address: u64) -> Result<u64, String> {
    let mut bytes = [0u8; 8];
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: 8 };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: 8 };
    // SAFETY: the kernel checks the remote range: reading outside what is mapped fails instead of faulting.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    // Sandboxes that forbid the call still have the file.
    let mut file = || File::open("/proc/self/mem").and_then(|file| file.read_exact_at(&mut bytes, address));
    if read == 8 || file().is_ok() {
        Ok(u64::from_ne_bytes(bytes))
    } else {
        Err(format!("the word at {address:#x} can't be read"))
    }
}

/// A shared object in this process. Dropping it unloads the code, then lets go of its roots.
pub struct SharedObject {
    library: unix::Library,
    base: u64,
    /// Everything of it, relative to the base.
    loaded: Range<u64>,
    entries: Vec<String>,
    // After the library: what the code refers to outlives it.
    _roots: Vec<Root>,
}

impl SharedObject {
    /// Loads the bytes of a shared object.
    pub(crate) fn open(
        bytes: &[u8],
        loaded: Range<u64>,
        entries: Vec<String>,
        roots: Vec<Root>,
    ) -> Result<Self, LoadError> {
        let file = anonymous_file(bytes)?;
        let path = unique_path(&file);
        // SAFETY: its initialisers run; the artifact is the one that was hashed, as nobody can change the file.
        let library = unsafe { unix::Library::open(Some(&path), unix::RTLD_NOW | unix::RTLD_LOCAL) }
            .map_err(|error| {
                let reason = reason(&error);
                LoadError::Link {
                    reason: reason.strip_prefix(&format!("{path}: ")).unwrap_or(&reason).to_owned(),
                }
            })?;
        let handle = library.into_raw();
        // SAFETY: the handle is the one that was just given out, and goes back into its owner.
        let (base, library) = unsafe {
            let mut map: *mut LinkMap = std::ptr::null_mut();
            let found = libc::dlinfo(handle, libc::RTLD_DI_LINKMAP, (&raw mut map).cast());
            let base = if found == 0 && !map.is_null() { Some((*map).base as u64) } else { None };
            (base, unix::Library::from_raw(handle))
        };
        let base = base.ok_or_else(|| LoadError::Link { reason: "it has no load address".into() })?;
        Ok(Self { library, base, loaded, entries, _roots: roots })
    }

    /// Whether a word is in memory as it was written into the file.
    pub(crate) fn holds(&self, write: &Write) -> bool {
        let place = (self.base + write.at) as *const u8;
        // SAFETY: the bytes lie in data of the image, which is loaded; `at` was checked against its symbols and
        // segments. They need not be aligned.
        unsafe {
            if write.width == 32 {
                u64::from(place.cast::<u32>().read_unaligned()) == write.word
            } else {
                place.cast::<u64>().read_unaligned() == write.word
            }
        }
    }

    /// The functions that the manifest names.
    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// The address of a symbol that the artifact exports.
    ///
    /// # Errors
    /// When it exports none of this name. Those of the libraries that it needs are not its own.
    pub fn address(&self, name: &str) -> Result<u64, LoadError> {
        let Range { start, end } = &self.loaded;
        let own = self.base + start..self.base + end;
        find(&self.library, name)
            .filter(|address| own.contains(address))
            .ok_or_else(|| LoadError::no_entry(name, &self.entries))
    }

    /// Calls a function as its signature says; also gives what it wrote to `out` parameters, in order. They are zero
    /// before the call.
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
        let code = CodePtr::from_ptr(self.address(name)? as *const c_void);
        let wanted = signature.parameters.iter().filter(|(_, out)| !out).count();
        if wanted != arguments.len() {
            let given = arguments.len();
            let message =
                format!("{} as `{signature}` takes {wanted}, and the arguments are {given}", quoted(name));
            return Err(LoadError::Signature { message });
        }
        let mut values = arguments.iter().peekable();
        let mut cells = Vec::with_capacity(signature.parameters.len());
        for (scalar, out) in &signature.parameters {
            let bytes = match values.next_if(|_| !out) {
                Some(value) => scalar.bytes(*value)?,
                None => [0; 8],
            };
            // The callee reads and writes whole words of at most this size, aligned.
            cells.push(u64::from_ne_bytes(bytes));
        }
        let places: Vec<*mut u64> = cells.iter_mut().map(|cell| &raw mut *cell).collect();
        let parameters = signature.parameters.iter().zip(&places);
        // libffi is given where each argument lies: an `out` parameter's is the pointer to its cell.
        let passed: Vec<Arg> = parameters
            .map(|((_, out), place)| {
                if *out {
                    Arg::new(place)
                } else {
                    // SAFETY: the cell lives until after the call, and nobody else looks at it before.
                    Arg::new(unsafe { &**place })
                }
            })
            .collect();
        let types = signature
            .parameters
            .iter()
            .map(|(scalar, out)| if *out { Type::pointer() } else { kind(*scalar) });
        let interface = Cif::new(types, signature.result.map_or_else(Type::void, kind));
        // SAFETY: the caller vouches for the signature. libffi gives integers as whole registers.
        let result = unsafe {
            match signature.result {
                None => {
                    interface.call::<()>(code, &passed);
                    None
                }
                Some(Scalar::F32) => Some(Value::Float(interface.call::<f32>(code, &passed).into())),
                Some(Scalar::F64) => Some(Value::Float(interface.call::<f64>(code, &passed))),
                Some(scalar) => Some(scalar.of_register(interface.call::<u64>(code, &passed))),
            }
        };
        let outs = signature.parameters.iter().zip(cells).filter(|((_, out), _)| *out);
        Ok((result, outs.map(|((scalar, _), cell)| scalar.read(cell.to_ne_bytes())).collect()))
    }

    /// The word at a datum that the artifact exports, plus bytes, as it is in memory now.
    ///
    /// # Errors
    /// When it exports none of this name, or the word is not inside.
    pub fn word(&self, symbol: &str, offset: u64) -> Result<u64, LoadError> {
        stored(symbol, self.address(symbol)?, offset).map_err(|reason| LoadError::Memory { reason })
    }
}

impl Image for SharedObject {
    fn entries(&self) -> &[String] {
        &self.entries
    }

    fn entry(&self, name: &str) -> Result<u64, LoadError> {
        self.address(name)
    }
}

/// The head of the C library's `struct link_map`.
#[repr(C)]
struct LinkMap {
    /// The difference between addresses in the file and in memory.
    base: usize,
}

/// A file with these bytes that nobody can change any more.
fn anonymous_file(bytes: &[u8]) -> Result<File, LoadError> {
    let fail = |error: std::io::Error| LoadError::Link { reason: error.to_string() };
    // SAFETY: the descriptor is new, and owned by the file from here on.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"relo".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING);
        if descriptor < 0 {
            return Err(fail(std::io::Error::last_os_error()));
        }
        File::from_raw_fd(descriptor)
    };
    file.write_all(bytes).map_err(fail)?;
    let seals = libc::F_SEAL_WRITE | libc::F_SEAL_GROW | libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;
    // SAFETY: the descriptor is open.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
        return Err(fail(std::io::Error::last_os_error()));
    }
    Ok(file)
}

/// A path to an open file that no file of this process had before. The dynamic linker takes a path that it has seen
/// for the image that it then loaded, and descriptors are used again: a count is spelt in the slashes, `/` and `/./`.
fn unique_path(file: &File) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let digits = format!("{count:b}").replace('0', "/").replace('1', "./");
    format!("/proc/self/fd/{digits}{}", file.as_raw_fd())
}

fn kind(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Int(8) => Type::i8(),
        Scalar::Int(16) => Type::i16(),
        Scalar::Int(32) => Type::i32(),
        Scalar::Int(_) => Type::i64(),
        Scalar::Pointer => Type::pointer(),
        Scalar::F32 => Type::f32(),
        Scalar::F64 => Type::f64(),
    }
}
