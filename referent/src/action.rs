//! What a strategy may ask of a loader.

use serde::{Deserialize, Serialize};

/// A loader action: how a site's word gets where the code looks for it. The set is closed; the strategies
/// that use it are data in rule files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Nothing: the word is in the code already.
    None,
    /// Write the word at the site after loading.
    Write,
    /// Define the site's symbol before linking, as the address of a cell that holds the word.
    Define,
    /// Put the word into the table whose address the code is handed.
    Table,
    /// Set a specialisation constant before the code is built.
    Specialize,
    /// Apply the relocation to the IR, in each session.
    Apply,
}

impl Action {
    /// All of them, with the names that rule files and manifests use.
    pub const ALL: [(&'static str, Self); 6] = [
        ("none", Self::None),
        ("write", Self::Write),
        ("define", Self::Define),
        ("table", Self::Table),
        ("specialize", Self::Specialize),
        ("apply", Self::Apply),
    ];

    /// By the name that rule files use.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, action)| action)
    }

    /// Whether its sites have an order that code and loader share.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::Table | Self::Specialize)
    }

    /// The name that rule files use.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, action)| *action == self).map_or("none", |(name, _)| name)
    }
}
