//! Packs: those in the binary, then those the user adds.

use std::path::PathBuf;

use relo_codegen::{read_packs, shipped_packs};
use relo_engine::{Finding, Library};

use crate::error::Failure;

/// All packs, and what is wrong with their form. A later folder's pack replaces an earlier one of the same name.
///
/// # Errors
/// When a folder has no packs.
pub fn library(rules: &[PathBuf]) -> Result<(Library, Vec<Finding>), Failure> {
    let mut packs = shipped_packs();
    for folder in rules {
        packs.extend(read_packs(folder)?);
    }
    Ok(Library::new(&packs))
}
