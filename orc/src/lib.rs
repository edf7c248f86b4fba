//! Relocatable objects and LLVM IR in this process, through LLVM's ORC and JITLink.
//!
//! [`JitImage::load`] does for them what `relo_loader::load` does for shared objects, and gives an
//! [`Image`](relo_loader::Image). It is a crate of its own because it needs LLVM, which must be the one of the process: a JIT
//! that has LLVM 22 has ORC. A word to write is in the object before it is linked; a symbol that the code was left to find is
//! the address of a cell with the word. IR with deferred sites (`apply`) becomes an object first.
//!
//! ```no_run
//! use relo_loader::{Image as _, Manifest, Process};
//! use relo_orc::JitImage;
//!
//! let manifest = Manifest::parse(&std::fs::read_to_string("kernel.o.reloc.json")?, "kernel.o.reloc.json")?;
//! let image = JitImage::load(&std::fs::read("kernel.o")?, &manifest, &Process::default())?;
//! let kernel = image.entry("kernel")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod image;
mod jit;
mod object;

pub use image::JitImage;
