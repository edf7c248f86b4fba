//! The cache: entries in a store, checked whenever they are read.

use crate::entry::{Entry, EntryError};
use crate::key::Key;
use crate::store::{Store, StoreError, Stored};

/// One in so many keys makes its writer look after the store's size.
const TURNS: u8 = 64;

/// Entries in a store.
pub struct Cache {
    store: Box<dyn Store>,
    limit: Option<u64>,
}

/// What a cache has for a key.
#[derive(Debug)]
pub enum Lookup {
    /// The entry, as it was written.
    Found(Entry),
    /// Nothing.
    Absent,
    /// Something else than what was written.
    Damaged(Damage),
}

/// An entry that is not what was written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("an entry of the cache is damaged: {reason}")]
#[diagnostic(
    severity(Warning),
    code("relo::cache::damaged"),
    help(
        "it is not used: another is compiled in its place; `relo cache verify` removes all that are damaged"
    )
)]
pub struct Damage {
    /// The entry's name.
    pub name: String,
    /// What is wrong with it.
    pub reason: EntryError,
}

/// How much a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How many entries.
    pub entries: usize,
    /// How many bytes they have.
    pub bytes: u64,
}

/// What was done about a cache's entries.
#[derive(Debug, Default)]
pub struct Report {
    /// What is left.
    pub left: Stats,
    /// How many were evicted, the longest unused first.
    pub evicted: usize,
    /// How many pieces of writers that were killed are gone.
    pub abandoned: usize,
    /// What was damaged, and is gone.
    pub damaged: Vec<Damage>,
}

impl Cache {
    /// A cache in a store; with a limit it is kept to about so many bytes.
    pub fn new(store: Box<dyn Store>, limit: Option<u64>) -> Self {
        Self { store, limit }
    }

    /// The entry of a key. A damaged one is left to be replaced: somebody may be doing so just now.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn get(&self, key: &Key) -> Result<Lookup, StoreError> {
        let name = key.to_string();
        let Some(bytes) = self.store.get(&name)? else { return Ok(Lookup::Absent) };
        match Entry::decode(&bytes, key) {
            Ok(entry) => {
                self.store.touch(&name);
                Ok(Lookup::Found(entry))
            }
            Err(reason) => Ok(Lookup::Damaged(Damage { name, reason })),
        }
    }

    /// Keeps an entry, and tells whether it may be kept: one of a single session is not.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn put(&self, key: &Key, entry: &Entry) -> Result<bool, StoreError> {
        if entry.check().is_err() {
            return Ok(false);
        }
        self.store.put(&key.to_string(), &entry.encode(key))?;
        if let Some(limit) = self.limit.filter(|_| key.first().is_multiple_of(TURNS)) {
            self.gc(limit)?;
        }
        Ok(true)
    }

    /// The names that are entries'. A store may hold other things too, which are nobody's to remove.
    fn entries(&self) -> Result<Vec<Stored>, StoreError> {
        let mut all = self.store.list()?;
        all.retain(|stored| Key::from_hex(&stored.name).is_some());
        Ok(all)
    }

    /// How much it holds.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        Ok(sum(&self.entries()?))
    }

    /// Reads every entry, and removes the damaged ones.
    ///
    /// # Errors
    /// When the store can't be read or written.
    pub fn verify(&self) -> Result<Report, StoreError> {
        let mut report = Report::default();
        for Stored { name, .. } in self.entries()? {
            let mut damage = None;
            // What is damaged is read again before it goes: a writer may have replaced it meanwhile.
            for _ in 0..2 {
                let Some(bytes) = self.store.get(&name)? else { break };
                let read = Key::from_hex(&name).ok_or(EntryError::Format);
                damage = read.and_then(|key| Entry::decode(&bytes, &key)).err();
                if damage.is_none() {
                    report.left.entries += 1;
                    report.left.bytes += bytes.len() as u64;
                    break;
                }
            }
            if let Some(reason) = damage {
                self.store.remove(&name)?;
                report.damaged.push(Damage { name, reason });
            }
        }
        Ok(report)
    }

    /// Evicts what was used longest ago, until what is left has at most so many bytes.
    ///
    /// # Errors
    /// When the store can't be read or written.
    pub fn gc(&self, limit: u64) -> Result<Report, StoreError> {
        let mut all = self.entries()?;
        all.sort_by(|a, b| (b.used, &b.name).cmp(&(a.used, &a.name)));
        let mut left = sum(&all);
        let mut evicted = 0;
        while left.bytes > limit
            && let Some(oldest) = all.pop()
        {
            self.store.remove(&oldest.name)?;
            left = Stats { entries: left.entries - 1, bytes: left.bytes - oldest.size };
            evicted += 1;
        }
        Ok(Report { left, evicted, abandoned: self.store.tidy()?, damaged: Vec::new() })
    }
}

fn sum(all: &[Stored]) -> Stats {
    Stats { entries: all.len(), bytes: all.iter().map(|stored| stored.size).sum() }
}
