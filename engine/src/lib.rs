//! Checked rules and packs.
