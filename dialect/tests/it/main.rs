//! One binary for all tests of the MLIR edge.
#![allow(unsafe_code)]

mod enumerators;
mod language;
mod llvm_ir;
mod reloc;
