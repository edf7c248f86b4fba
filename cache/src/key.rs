//! What was compiled, as a hash.

use std::fmt;

use relo_referent::SessionTable;

use crate::symbolic::Symbolic;

/// The version of what goes into keys, and of entries: another one has other entries.
const FORMAT: &str = "relo cache 1";

/// An entry's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(blake3::Hash);

impl Key {
    /// The key that a name in hex stands for.
    pub fn from_hex(name: &str) -> Option<Self> {
        blake3::Hash::from_hex(name).ok().map(Self)
    }

    /// Its first byte, which spreads keys evenly.
    pub(crate) fn first(&self) -> u8 {
        self.0.as_bytes()[0]
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

/// Puts a key together. Parts are framed: no two sequences of parts run together.
pub struct KeyBuilder(blake3::Hasher);

impl KeyBuilder {
    /// A key for what this build of relo makes; `build` is its version, and whatever else tells it from others.
    pub fn new(build: &str) -> Self {
        let mut builder = Self(blake3::Hasher::new());
        builder.part("format", FORMAT);
        builder.part("build", build);
        builder
    }

    /// Adds something that the artifact depends on, by name.
    pub fn part(&mut self, name: &str, value: impl AsRef<[u8]>) {
        for bytes in [name.as_bytes(), value.as_ref()] {
            self.0.update(&(bytes.len() as u64).to_le_bytes());
            self.0.update(bytes);
        }
    }

    /// Adds the input and what the front end says about it, without the session's addresses.
    pub fn input(&mut self, input: &Symbolic<'_>, session: &SessionTable) {
        self.part("input", input.hash().as_bytes());
        for (name, referent) in session.globals() {
            self.part(&format!("global {name}"), referent.to_string());
        }
        let mut referents: Vec<String> =
            session.addresses().map(|(_, referent)| referent.to_string()).collect();
        referents.sort_unstable();
        self.part("referents", referents.len().to_le_bytes());
        for referent in referents {
            self.part("referent", referent);
        }
    }

    /// The key.
    pub fn finish(self) -> Key {
        Key(self.0.finalize())
    }
}
