//! One binary for all tests of the MLIR edge.
#![allow(unsafe_code)]

mod differential;
mod enumerators;
mod facts;
mod how;
mod invalid;
mod language;
mod llvm_ir;
mod many;
mod overlaps;
mod own_native;
mod packs;
mod permutations;
mod pitfalls;
mod planted;
mod reloc;
