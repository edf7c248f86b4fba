//! Resolvers that a host puts together: of callbacks, of a session table, of what the process has.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, PoisonError, RwLock};

use ::relo_referent::{Referent, SessionTable};
use miette::Diagnostic as _;
use relo_loader::{Fixed, Policy, Process, Resolved, Resolver};

use crate::error::{Error, guard, relo_error};
use crate::text::{Lent, bytes, relo_referent, text};

/// What a host says about a referent.
#[repr(C)]
#[derive(Debug)]
pub struct relo_resolved {
    /// The word: an object's or symbol's address, or what is stored there. relo adds addends itself.
    pub word: u64,
    /// What keeps the word valid, or NULL.
    pub root: *mut c_void,
    /// Where there is no word: why, as a sentence without a full stop, or NULL. It is copied.
    pub reason: *const c_char,
}

/// A host, as callbacks. They are called by the threads that load and unload, by several at once where several do.
/// They must return: by longjmp or an exception of C++ they may not leave.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct relo_host {
    /// `sizeof(relo_host)`, so that later versions can tell what the host knows of.
    pub size: usize,
    /// Handed to each callback.
    pub user: *mut c_void,
    /// Gives the word of a referent: true where there is one. Everything in `resolved` is 0 before.
    pub resolve: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            referent: *const relo_referent,
            resolved: *mut relo_resolved,
        ) -> bool,
    >,
    /// Called once for each root that is given, before `resolve` is called again; or NULL.
    pub retain: Option<unsafe extern "C" fn(user: *mut c_void, root: *mut c_void)>,
    /// Called once for each root that is given, when its image is unloaded or was not loaded after all; or NULL.
    pub release: Option<unsafe extern "C" fn(user: *mut c_void, root: *mut c_void)>,
    /// Called once when no resolver and no image needs the host any more; or NULL.
    pub finish: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

/// Resolvers, asked in the order in which they were added: the first that knows a referent answers.
#[derive(Default)]
pub struct relo_resolver {
    parts: RwLock<Vec<Arc<dyn Resolver + Send + Sync>>>,
}

impl relo_resolver {
    fn add(&self, part: Arc<dyn Resolver + Send + Sync>) {
        self.parts.write().unwrap_or_else(PoisonError::into_inner).push(part);
    }

    /// What was added until now.
    pub(crate) fn parts(&self) -> Vec<Arc<dyn Resolver + Send + Sync>> {
        self.parts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Makes a resolver that knows nothing yet.
#[unsafe(no_mangle)]
pub extern "C" fn relo_resolver_new() -> *mut relo_resolver {
    Box::into_raw(Box::default())
}

/// Frees a resolver; NULL is none. Images that it resolved for stay as they are.
///
/// # Safety
/// `relo_resolver_new` returned it, it was not freed before, and no call uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_resolver_free(resolver: *mut relo_resolver) {
    guard(|| {
        if !resolver.is_null() {
            // SAFETY: as the caller says.
            drop(unsafe { Box::from_raw(resolver) });
        }
        Ok(())
    });
}

/// Adds a host. The struct is copied.
///
/// # Safety
/// The callbacks are of these types, and may be called until `finish` was.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_resolver_add_host(
    resolver: Option<&relo_resolver>,
    host: *const relo_host,
) -> *mut relo_error {
    guard(|| {
        let resolver = resolver.ok_or_else(|| Error::argument("the resolver is NULL".into()))?;
        // SAFETY: as the caller says; of a host that knows less, only the size is read.
        let size = if host.is_null() { 0 } else { unsafe { (&raw const (*host).size).read() } };
        if size < size_of::<relo_host>() {
            return Err(Error::argument(format!(
                "the host has {size} bytes, not {}",
                size_of::<relo_host>()
            )));
        }
        // SAFETY: as the caller says; it is large enough.
        let host = unsafe { host.read() };
        if host.resolve.is_none() {
            return Err(Error::argument("the host has no `resolve`".into()));
        }
        resolver.add(Arc::new(Host(Arc::new(Callbacks(host)))));
        Ok(())
    })
}

/// Adds what this process has: symbols and words of its program and of libraries that are loaded. Of other libraries,
/// those in the list may be loaded, by the names that referents give, or as paths.
///
/// # Safety
/// The list has so many C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_resolver_add_process(
    resolver: Option<&relo_resolver>,
    libraries: *const *const c_char,
    count: usize,
) -> *mut relo_error {
    guard(|| {
        let resolver = resolver.ok_or_else(|| Error::argument("the resolver is NULL".into()))?;
        let mut allowed = std::collections::BTreeSet::new();
        for index in 0..count {
            if libraries.is_null() {
                return Err(Error::argument("the list of libraries is NULL".into()));
            }
            // SAFETY: as the caller says.
            allowed.insert(unsafe { text("the name of a library", *libraries.add(index)) }?.to_owned());
        }
        let policy = if allowed.is_empty() { Policy::Loaded } else { Policy::Allow(allowed) };
        resolver.add(Arc::new(Process { policy }));
        Ok(())
    })
}

/// Adds a session table of this session, as JSON: each of its addresses is what its target resolves to.
///
/// # Safety
/// The JSON has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn relo_resolver_add_session(
    resolver: Option<&relo_resolver>,
    json: *const c_char,
    size: usize,
) -> *mut relo_error {
    guard(|| {
        let resolver = resolver.ok_or_else(|| Error::argument("the resolver is NULL".into()))?;
        // SAFETY: as the caller says.
        let json = unsafe { bytes("the session table", json.cast(), size) }?;
        let json = std::str::from_utf8(json)
            .map_err(|_| Error::argument("the session table is not UTF-8".into()))?;
        let table = SessionTable::parse(json, "session table").map_err(|error| {
            let related = error.related().into_iter().flatten().map(ToString::to_string);
            Error::argument(format!("{error}: {}", related.collect::<Vec<_>>().join("; ")))
        })?;
        let words: BTreeMap<Referent, u64> =
            table.addresses().map(|(address, referent)| (referent.clone(), address)).collect();
        resolver.add(Arc::new(Fixed(words)));
        Ok(())
    })
}

/// The callbacks, with their end.
struct Callbacks(relo_host);

// SAFETY: the host says that its callbacks may be called by any thread.
unsafe impl Send for Callbacks {}
// SAFETY: as above, by several at once.
unsafe impl Sync for Callbacks {}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(finish) = self.0.finish {
            // SAFETY: nothing calls the host any more.
            unsafe { finish(self.0.user) }
        }
    }
}

/// A host as a resolver.
struct Host(Arc<Callbacks>);

/// A root of a host's, which is released when the image lets go of it.
struct HostRoot {
    host: Arc<Callbacks>,
    root: *mut c_void,
}

// SAFETY: only the host looks into a root, and its callbacks may be called by any thread.
unsafe impl Send for HostRoot {}
// SAFETY: as above.
unsafe impl Sync for HostRoot {}

impl Drop for HostRoot {
    fn drop(&mut self) {
        if let Some(release) = self.host.0.release {
            // SAFETY: the root is one that the host gave, and is let go of once.
            unsafe { release(self.host.0.user, self.root) }
        }
    }
}

impl Resolver for Host {
    fn resolve(&self, referent: &Referent) -> Result<Resolved, String> {
        let host = &self.0.0;
        let resolve = host.resolve.ok_or("the host has no `resolve`")?;
        let lent = Lent::new(referent);
        let mut resolved = relo_resolved { word: 0, root: std::ptr::null_mut(), reason: std::ptr::null() };
        // SAFETY: the host vouches for its callback; what it is handed lives until it returns.
        if !unsafe { resolve(host.user, lent.as_ptr(), &raw mut resolved) } {
            if resolved.reason.is_null() {
                return Err("the host does not know it".to_owned());
            }
            // SAFETY: it is a C string, says relo.h.
            return Err(unsafe { CStr::from_ptr(resolved.reason) }.to_string_lossy().into_owned());
        }
        if resolved.root.is_null() {
            return Ok(Resolved { word: resolved.word, root: None });
        }
        if let Some(retain) = host.retain {
            // SAFETY: the root is the one that the host just gave.
            unsafe { retain(host.user, resolved.root) }
        }
        let root = HostRoot { host: self.0.clone(), root: resolved.root };
        Ok(Resolved { word: resolved.word, root: Some(Arc::new(root)) })
    }
}
