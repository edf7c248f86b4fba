//! What a change of rules does: for one target, with a class for each difference.
//!
//! Rules are compared by their digests, so that format, comments, order in files and names of captures are none. Where a
//! rule holds is compared by what it demands, in the same literals as the checker's laws, which give a case in point.

mod packs;
mod rules;
mod sites;

use std::collections::BTreeSet;
use std::fmt;

use crate::ruleset::RuleSet;
use crate::schema::Schema;

pub use packs::compare_packs;

/// What a difference is for those who use the pack; the greater, the more they have to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// What was done is done, if in another way. Semantic versions call it a patch.
    #[serde(rename = "patch")]
    Repair,
    /// More is done than before.
    Minor,
    /// Something that was done is not done any more, or loaders have to do something else.
    Major,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Repair => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Change {
    /// The pack that it is a change of.
    pub pack: String,
    /// What it is for users.
    pub class: Class,
    /// What is different: a rule, a strategy, a cell, a target, a parameter.
    pub subject: String,
    /// How.
    pub what: String,
    /// The rules that make it so.
    pub because: BTreeSet<String>,
    /// A case in point.
    pub witness: Option<String>,
}

impl Change {
    /// A difference that speaks for itself.
    pub fn new(pack: &str, class: Class, subject: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            pack: pack.to_owned(),
            class,
            subject: subject.into(),
            what: what.into(),
            because: BTreeSet::new(),
            witness: None,
        }
    }

    fn witness(mut self, witness: Option<String>) -> Self {
        self.witness = witness;
        self
    }
}

/// The differences between two sets of rules for one target.
pub fn compare(old: &RuleSet, new: &RuleSet, schema: &dyn Schema) -> Vec<Change> {
    let mut changes = rules::compare(old, new);
    changes.extend(sites::compare(old, new, schema));
    changes
}

/// The pack of a rule's path.
fn pack_of(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}
