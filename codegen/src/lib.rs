//! The LLVM edge of relo: from input to artifact.
//!
//! [`compile`] is the whole way: [`input`] parses, [`view`] shows MLIR what it can carry, the rules run over that,
//! [`view`] merges what they touched back, then optimisation, [`freeze`], [`scan`] and emission give the artifact and
//! its manifest. What no rule touched is LLVM's own module from beginning to end. [`link()`] makes one module of several.
#![allow(unsafe_code)]

mod argument;
mod compile;
mod confine;
mod emit;
mod error;
mod freeze;
mod held;
mod input;
mod isolate;
mod link;
mod llvm;
mod machine;
mod names;
mod packs;
mod record;
mod rewriting;
mod scan;
mod shelter;
mod sites;
mod spirv;
mod trace;
mod view;
mod words;

pub use compile::{Compilation, Options, Step, compile};
pub use emit::Emit;
pub use error::CodegenError;
pub use isolate::{Done, Tell, isolated, isolated_each};
pub use link::{LinkError, LinkInput, link};
pub use llvm::version as llvm_version;
pub use machine::data_layout;
pub use packs::{read_packs, shipped_packs};
pub use scan::{Leak, Left};
pub use trace::trace;
