//! Packs: those in the binary, then those the user adds.

use std::path::PathBuf;

use relo_codegen::{read_packs, shipped_packs};
use relo_engine::{Finding, Library, Request};

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

/// The packs that may take part for a target besides its own.
pub fn active(library: &Library) -> Vec<String> {
    library.packs().filter(|pack| pack.active.is_some()).map(|pack| pack.name.clone()).collect()
}

/// All rules that may take part for a target, whatever their parameters.
pub fn whole(library: &Library, target: &str) -> Request {
    Request {
        target: target.to_owned(),
        packs: active(library),
        with_session: true,
        placeholders: true,
        ..Request::default()
    }
}
