//! For tests only: the project's folders, cases from files, packs from disk, diagnostics as text.

mod cases;
mod packs;
mod render;
mod servers;

pub use cases::{Case, cases, root, snapshots};
pub use packs::packs;
pub use render::render;
pub use servers::{Server, redis, s3};
