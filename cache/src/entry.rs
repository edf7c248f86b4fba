//! What is kept for a key: artifact, manifest, and what there was to say; one piece of bytes.

use std::collections::BTreeMap;

use relo_loader::Manifest;
use serde::{Deserialize, Serialize};

use crate::key::Key;

/// How an entry begins; the hash of all that follows stands behind it.
const MAGIC: &[u8] = b"relo cache entry 1\n";

/// A compiled artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The artifact's bytes.
    pub artifact: Vec<u8>,
    /// Its manifest, as JSON.
    pub manifest: String,
    /// Functions that rules did not see, with the reason: a warning that stays one.
    pub unseen: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    key: String,
    manifest: usize,
    artifact: usize,
    unseen: BTreeMap<String, String>,
}

/// Why bytes are no entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// They do not begin as one, or are cut off before their hash.
    #[error("it is no entry of this version")]
    Format,
    /// They are not what was written.
    #[error("its bytes are not those that were written")]
    Hash,
    /// It is another key's.
    #[error("it is the entry of another key")]
    Key,
    /// Artifact and manifest do not belong together.
    #[error("artifact and manifest do not belong together: {0}")]
    Manifest(String),
    /// The artifact is one session's.
    #[error("its artifact is valid in one session only")]
    Bound,
}

impl Entry {
    /// The entry as bytes.
    pub fn encode(&self, key: &Key) -> Vec<u8> {
        let head = Head {
            key: key.to_string(),
            manifest: self.manifest.len(),
            artifact: self.artifact.len(),
            unseen: self.unseen.clone(),
        };
        let mut body = serde_json::to_vec(&head).expect("texts and numbers have a JSON form");
        body.push(b'\n');
        body.extend_from_slice(self.manifest.as_bytes());
        body.extend_from_slice(&self.artifact);
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(blake3::hash(&body).as_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The entry of a key, out of its bytes.
    ///
    /// # Errors
    /// When they are anything else than what was written for this key, or should not have been.
    pub fn decode(bytes: &[u8], key: &Key) -> Result<Self, EntryError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(EntryError::Format)?;
        let (hash, body) = rest.split_at_checked(blake3::OUT_LEN).ok_or(EntryError::Format)?;
        if blake3::hash(body).as_bytes() != hash {
            return Err(EntryError::Hash);
        }
        let line = body.iter().position(|byte| *byte == b'\n').ok_or(EntryError::Format)?;
        let head: Head = serde_json::from_slice(&body[..line]).map_err(|_| EntryError::Format)?;
        if head.key != key.to_string() {
            return Err(EntryError::Key);
        }
        let (manifest, artifact) =
            body[line + 1..].split_at_checked(head.manifest).ok_or(EntryError::Format)?;
        if artifact.len() != head.artifact {
            return Err(EntryError::Format);
        }
        let manifest = String::from_utf8(manifest.to_vec()).map_err(|_| EntryError::Format)?;
        let entry = Self { artifact: artifact.to_vec(), manifest, unseen: head.unseen };
        entry.check()?;
        Ok(entry)
    }

    /// Whether it may be kept: artifact and manifest belong together, and are valid in any session.
    ///
    /// # Errors
    /// When not.
    pub(crate) fn check(&self) -> Result<(), EntryError> {
        let manifest = Manifest::parse(&self.manifest, "manifest")
            .map_err(|error| EntryError::Manifest(error.to_string()))?;
        let record = &manifest.artifact;
        if record.size != self.artifact.len() as u64
            || record.blake3 != blake3::hash(&self.artifact).to_hex().as_str()
        {
            return Err(EntryError::Manifest("the hash is another".to_owned()));
        }
        if manifest.portable { Ok(()) } else { Err(EntryError::Bound) }
    }
}
