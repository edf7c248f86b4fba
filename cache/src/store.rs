//! Where entries are kept: names and bytes.

use std::time::SystemTime;

use crate::folder::Folder;

/// Keeps bytes by name. A name has all of its bytes or none, whatever happens to writers.
pub trait Store: Send + Sync {
    /// The bytes of a name.
    ///
    /// # Errors
    /// With the store's reason.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Notes that a name was used: what was used last is evicted last. A store that notes it by itself, or does not, has
    /// nothing to do.
    fn touch(&self, _name: &str) {}

    /// Keeps bytes. They are kept when it returns.
    ///
    /// # Errors
    /// With the store's reason; the name has what it had before then.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Lets go of a name. One that is not there is none.
    ///
    /// # Errors
    /// With the store's reason.
    fn remove(&self, name: &str) -> Result<(), StoreError>;

    /// All names.
    ///
    /// # Errors
    /// With the store's reason.
    fn list(&self) -> Result<Vec<Stored>, StoreError>;

    /// Removes what writers that were killed left behind; gives how many pieces.
    ///
    /// # Errors
    /// With the store's reason.
    fn tidy(&self) -> Result<usize, StoreError> {
        Ok(0)
    }
}

/// A name that a store has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The name.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// When it was last written, or read where the store notes that: folders and Redis do.
    pub used: SystemTime,
}

/// A store that can't be used. What was to be cached is compiled as without a cache.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the cache `{store}` can't be used: {reason}")]
#[diagnostic(
    severity(Warning),
    code("relo::cache::store"),
    help("it is compiled as without a cache; see that the store is there and may be written to")
)]
pub struct StoreError {
    /// The store.
    pub store: String,
    /// Its reason.
    pub reason: String,
}

/// A store by its URL, or by the path of a folder.
///
/// # Errors
/// When there is no such store, or this build of relo does not have its kind.
pub fn open(url: &str) -> Result<Box<dyn Store>, StoreError> {
    match url.split_once("://") {
        None => Ok(Box::new(Folder::new(url)?)),
        Some(("file", path)) => Ok(Box::new(Folder::new(path)?)),
        #[cfg(feature = "redis")]
        Some(("redis", _)) => Ok(Box::new(crate::redis::Redis::new(url)?)),
        #[cfg(feature = "shared")]
        Some(_) => Ok(Box::new(crate::shared::Shared::new(url)?)),
        #[cfg(not(feature = "shared"))]
        Some((kind, _)) => {
            let reason = format!("this build of relo has no stores of kind `{kind}`");
            Err(StoreError { store: url.to_owned(), reason })
        }
    }
}
