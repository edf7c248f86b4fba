//! One binary for all tests of the MLIR edge.
#![allow(unsafe_code)]

mod language;
mod llvm_ir;
mod packs;
mod reloc;
