//! The checker and the evaluator over a toy IR: no LLVM, no MLIR.

mod checks;
mod digests;
mod evaluation;
mod packs;
mod toy;
mod why_not;
