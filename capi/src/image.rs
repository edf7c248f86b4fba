//! Loading, and what is loaded.

use std::ffi::{CString, c_char, c_void};
use std::fs;

use relo_loader::{Chain, LoadError, Manifest, Resolver, SharedObject, load, load_bytes};

use crate::error::{Error, guard, relo_error};
use crate::resolver::relo_resolver;
use crate::text::{bytes, c_string, text};

/// Load also an artifact that is valid only in the session that compiled it: the caller knows that this is the one.
pub const RELO_BOUND: u32 = 1;

/// A loaded artifact.
pub struct relo_image {
    image: SharedObject,
    entries: Vec<CString>,
}

/// Loads a shared object that `relo compile` wrote, with the words of this session in it. The manifest is the file beside
/// it, `ARTIFACT.reloc.json`, where it is given as NULL. `flags` is 0 or `RELO_BOUND`.
///
/// # Safety
/// The texts are C strings, the resolver is alive, and `image` is where the result may be written. The artifact's code
/// is trusted: its initialisers run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_load_file(
    artifact: *const c_char,
    manifest: *const c_char,
    resolver: Option<&relo_resolver>,
    flags: u32,
    image: *mut *mut relo_image,
) -> *mut relo_error {
    // SAFETY: as the caller says.
    let open = || unsafe {
        let artifact = text("the artifact's path", artifact)?;
        let path = match manifest.is_null() {
            true => format!("{artifact}.reloc.json"),
            false => text("the manifest's path", manifest)?.to_owned(),
        };
        let json = fs::read_to_string(&path)
            .map_err(|error| LoadError::Read { path: path.clone(), reason: error.to_string() })?;
        let manifest = Manifest::parse(&json, &path)?;
        into_image(manifest, resolver, flags, image, |manifest, chain| {
            load(artifact.as_ref(), manifest, chain)
        })
    };
    guard(open)
}

/// As `relo_load_file`, for an artifact and a manifest in memory. Both are copied.
///
/// # Safety
/// As for `relo_load_file`, and memory has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_load_memory(
    artifact: *const c_void,
    artifact_size: usize,
    manifest: *const c_char,
    manifest_size: usize,
    resolver: Option<&relo_resolver>,
    flags: u32,
    image: *mut *mut relo_image,
) -> *mut relo_error {
    // SAFETY: as the caller says.
    let open = || unsafe {
        let artifact = bytes("the artifact", artifact.cast(), artifact_size)?;
        let json = bytes("the manifest", manifest.cast(), manifest_size)?;
        let manifest = Manifest::parse(&String::from_utf8_lossy(json), "manifest")?;
        into_image(manifest, resolver, flags, image, |manifest, chain| {
            load_bytes(artifact.to_vec(), manifest, chain)
        })
    };
    guard(open)
}

/// # Safety
/// `place` is NULL, or where the image may be written.
unsafe fn into_image(
    manifest: Manifest,
    resolver: Option<&relo_resolver>,
    flags: u32,
    place: *mut *mut relo_image,
    load: impl FnOnce(&Manifest, &Chain<'_>) -> Result<SharedObject, LoadError>,
) -> Result<(), Error> {
    let resolver = resolver.ok_or_else(|| Error::argument("the resolver is NULL".into()))?;
    if place.is_null() {
        return Err(Error::argument("the place for the image is NULL".into()));
    }
    if flags & !RELO_BOUND != 0 {
        return Err(Error::argument(format!("{flags:#x} has flags that this version does not know")));
    }
    if !manifest.portable && flags & RELO_BOUND == 0 {
        return Err(LoadError::NotPortable.into());
    }
    let parts = resolver.parts();
    let chain = Chain(parts.iter().map(|part| Box::new(&**part) as Box<dyn Resolver + '_>).collect());
    let image = load(&manifest, &chain)?;
    let entries = image.entries().iter().map(|entry| c_string(entry)).collect();
    // SAFETY: as the caller says.
    unsafe { place.write(Box::into_raw(Box::new(relo_image { image, entries }))) };
    Ok(())
}

/// Unloads an image, then releases its roots; NULL is none. Its code must not be running, nor be called again.
///
/// # Safety
/// A call returned it, and it was not unloaded before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_image_unload(image: *mut relo_image) {
    guard(|| {
        if !image.is_null() {
            // SAFETY: as the caller says.
            drop(unsafe { Box::from_raw(image) });
        }
        Ok(())
    });
}

/// The address of a function or datum that the artifact exports.
///
/// # Safety
/// The name is a C string, and `address` is where the result may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_image_address(
    image: Option<&relo_image>,
    name: *const c_char,
    address: *mut *mut c_void,
) -> *mut relo_error {
    guard(|| {
        let image = image.ok_or_else(|| Error::argument("the image is NULL".into()))?;
        // SAFETY: as the caller says.
        let found = image.image.address(unsafe { text("the name", name) }?)?;
        if address.is_null() {
            return Err(Error::argument("the place for the address is NULL".into()));
        }
        // SAFETY: as the caller says.
        unsafe { address.write(found as *mut c_void) };
        Ok(())
    })
}

/// How many functions the manifest names.
#[unsafe(no_mangle)]
pub extern "C" fn relo_image_count(image: &relo_image) -> usize {
    image.entries.len()
}

/// The name of a function that the manifest names, counted from 0; NULL past the last.
#[unsafe(no_mangle)]
pub extern "C" fn relo_image_entry(image: &relo_image, index: usize) -> *const c_char {
    image.entries.get(index).map_or(std::ptr::null(), |entry| entry.as_ptr())
}
