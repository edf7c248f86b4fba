//! Compiled artifacts, kept for the next session.
//!
//! A [`Key`] says what was compiled, in terms that outlive the session: [`Symbolic`] text has referents where the input
//! has addresses. A [`Cache`] keeps [`Entry`]s by key in a [`Store`]: a folder, or what machines share. An entry comes
//! whole or not at all: it is written under another name first, and its hash is checked whenever it is read.
//!
//! Only portable artifacts are kept. Whoever may write to a store decides what code its readers run, as with every
//! store of code: the hash finds damage, not malice.

mod cache;
mod entry;
mod folder;
mod key;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "shared")]
mod shared;
mod store;
mod symbolic;

pub use cache::{Cache, Damage, Lookup, Report, Stats};
pub use entry::{Entry, EntryError};
pub use folder::Folder;
pub use key::{Key, KeyBuilder};
#[cfg(feature = "redis")]
pub use redis::Redis;
#[cfg(feature = "shared")]
pub use shared::Shared;
pub use store::{Store, StoreError, Stored, open};
pub use symbolic::Symbolic;
