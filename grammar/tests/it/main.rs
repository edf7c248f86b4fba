//! What the crate reads, prints, formats and says of mistakes.

mod cases;
mod err;
mod ok;
mod packs;
mod random;
mod round_trip;
mod scale;
mod trees;
