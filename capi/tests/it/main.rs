//! What C sees.

mod header;
