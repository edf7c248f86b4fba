//! The half of relo that runs in another session: manifests, resolvers, images.
//!
//! [`load`] checks an artifact against its [`Manifest`], asks a [`Resolver`] for every referent, writes all words or
//! none, and gives a [`SharedObject`] to call. [`PtxModule::load`] does so for PTX, through NVIDIA's driver, and
//! [`SpirvProgram::load`] for SPIR-V, through OpenCL, where there is one: it is opened when it is asked for. All of them are
//! an [`Image`]. This crate needs neither LLVM nor MLIR, and knows no strategy by name: it does what a site's action says.
//! Images of other loaders are made of the same pieces: [`check_kind`], [`check_machine`], [`check_actions`], [`check_hash`], [`resolve`], [`Cells`].
//!
//! ```no_run
//! use relo_loader::{Callback, Chain, Manifest, Process, Resolved, load};
//!
//! let text = std::fs::read_to_string("kernel.so.reloc.json")?;
//! let manifest = Manifest::parse(&text, "kernel.so.reloc.json")?;
//! let objects = Callback(|referent: &relo_referent::Referent| match my_host::find(referent) {
//!     Some(object) => Ok(Resolved { word: object.address(), root: Some(object) }),
//!     None => Err("this session has no such object".to_owned()),
//! });
//! let resolver = Chain(vec![Box::new(objects), Box::new(Process::default())]);
//! let image = load("kernel.so".as_ref(), &manifest, &resolver)?;
//! let kernel = image.address("kernel")?;
//! # mod my_host {
//! #     pub struct Object;
//! #     impl Object { pub fn address(&self) -> u64 { 0 } }
//! #     pub fn find(_: &relo_referent::Referent) -> Option<std::sync::Arc<Object>> { None }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod call;
mod cells;
mod cl;
mod consistency;
mod define;
mod driver;
mod elf;
mod error;
mod fill;
mod image;
mod load;
mod manifest;
mod ptx;
mod resolver;
mod shared_object;
mod spirv;
mod spirv_program;

pub use call::{Scalar, Signature, Value};
pub use cells::Cells;
pub use cl::{ClContext, ClDriver};
pub use driver::Driver;
pub use error::{LoadError, Unresolved, quoted};
pub use image::Image;
pub use load::{
    ARTIFACT_KIND, Artifact, check_actions, check_hash, check_kind, check_machine, load, load_bytes,
    load_portable, read_artifact, resolve,
};
pub use manifest::{
    ArgumentRecord, ArtifactRecord, Manifest, ManifestError, PackRecord, RuleRecord, SiteRecord,
    TargetRecord, VERSION,
};
pub use ptx::{PTX_KIND, PtxModule};
pub use resolver::{Callback, Chain, Fixed, Policy, Process, Resolved, Resolver, Root, apply_addend};
pub use shared_object::SharedObject;
pub use spirv_program::{SPIRV_KIND, SpirvProgram, TableArgument};
