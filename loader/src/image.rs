//! What a loaded artifact offers, wherever it runs.

use crate::error::LoadError;

/// A loaded artifact. No function of it can be had before the last of its words is in place. Dropping it unloads the code,
/// then lets go of its roots.
pub trait Image: Send + Sync {
    /// The functions that the manifest names.
    fn entries(&self) -> &[String];

    /// What a function is called by: its address in this process, or the handle that a device's driver has for it. It is
    /// valid as long as the image.
    ///
    /// # Errors
    /// When there is none of this name.
    fn entry(&self, name: &str) -> Result<u64, LoadError>;
}
