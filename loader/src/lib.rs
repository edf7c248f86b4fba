//! The half of relo that runs in another session: manifests, resolvers, images.
//!
//! [`load`] checks an artifact against its [`Manifest`], asks a [`Resolver`] for every referent, writes all words or
//! none, and gives an [`Image`] to call. This crate needs neither LLVM nor MLIR, and knows no strategy by name: it
//! does what a site's action says.

mod call;
mod consistency;
mod elf;
mod error;
mod image;
mod load;
mod manifest;
mod resolver;

pub use call::{Scalar, Signature, Value};
pub use error::{LoadError, Unresolved};
pub use image::Image;
pub use load::{ARTIFACT_KIND, load, load_in_session};
pub use manifest::{
    ArtifactRecord, Manifest, ManifestError, PackRecord, RuleRecord, SiteRecord, TargetRecord, VERSION,
};
pub use resolver::{Callback, Chain, Fixed, Policy, Process, Resolved, Resolver, Root, apply_addend};
