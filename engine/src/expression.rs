//! Regular expressions of rules: each is built once in a process.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::Regex;

/// What was built so far: rules have few, and the same ones again for every target.
static BUILT: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);

/// The regular expression that a pattern of a rule or pack spells.
///
/// # Errors
/// When it spells none.
pub fn regex(pattern: &str) -> Result<Regex, regex::Error> {
    // Nothing leaves the map half changed.
    if let Some(built) = BUILT.lock().unwrap_or_else(PoisonError::into_inner).get(pattern) {
        return Ok(built.clone());
    }
    let made = Regex::new(pattern)?;
    BUILT.lock().unwrap_or_else(PoisonError::into_inner).insert(pattern.to_owned(), made.clone());
    Ok(made)
}
