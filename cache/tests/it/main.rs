//! Entries under every circumstance: other sessions, damage, full disks, writers that are killed.

mod crashes;
mod entries;
mod keys;
mod support;
