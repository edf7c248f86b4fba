//! Entries under every circumstance: other sessions, other machines, damage, full disks, writers that are killed.

mod crashes;
mod entries;
mod keys;
mod shared;
mod support;
