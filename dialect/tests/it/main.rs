//! One binary for all tests of the MLIR edge.

mod language;
mod packs;
