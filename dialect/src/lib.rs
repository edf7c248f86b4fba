//! The MLIR edge of relo: the `reloc` dialect, and rules at work on it.
//!
//! The way is: [`Module`] parses MLIR, or [`translate`] makes one of LLVM IR; [`Patterns`] compiles checked rules to
//! PDL and [`run`] applies them, phase by phase, over an [`MlirHost`], as [`interpret`] does without PDL; [`plan`] writes each site's strategy on it
//! between; [`translate`] gives LLVM IR again. The dialect itself is in `td/` and `cpp/`. This crate knows no
//! strategy, target or front end by name, and leaves LLVM's own passes and code generation to others.
//!
//! # Under AddressSanitizer
//!
//! `RELO_SANITIZE=address` instruments this crate's C++; `scripts/sanitize.sh` runs the tests so. LLVM's own libraries are
//! not instrumented: their allocators poison memory in our code and fill it in theirs, which is reported as
//! `use-after-poison` unless `ASAN_OPTIONS` has `allow_user_poisoning=0`. With it, `detect_leaks=1` is reliable too.
#![allow(unsafe_code)]

pub mod attributes;
mod callbacks;
mod context;
mod driver;
mod encode;
mod error;
mod faults;
mod handle;
mod hollow;
mod host;
mod interpreter;
mod missed;
mod module;
mod natives;
mod patterns;
mod pdl;
mod plan;
mod readable;
mod record;
mod rewriter;
mod schema;
mod shim;
mod symbols;
mod trace;
pub mod translate;
mod watch;
mod witness;

pub use context::{Context, MlirDiagnostic, MlirSeverity};
pub use driver::run;
pub use error::{DialectError, Rejection};
pub use host::{AddNatives, MlirHost, Surroundings};
pub use interpreter::interpret;
pub use missed::{Missed, missed};
pub use module::Module;
pub use natives::{natives, signatures};
pub use patterns::Patterns;
pub use plan::plan;
pub use record::{Fired, Outcome, Tried};
pub use schema::{Encoding, OdsSchema};
pub use trace::{Asked, At, Cause, Change, Fate, Tracer, Watcher};
pub use witness::Checker;
