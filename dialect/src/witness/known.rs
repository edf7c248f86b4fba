//! What was found out about two rules, for whoever checks them again: another target, and another thread.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use relo_engine::Witness;

/// Two rules by their digests, and how many bits a word has.
pub(super) type Pair = (String, String, u32);

/// What comes of a search, once it is over.
type Found = Arc<OnceLock<Option<Witness>>>;

/// The searches that were begun.
#[derive(Default)]
pub(super) struct Known(Mutex<HashMap<Pair, Found>>);

impl Known {
    /// What is known of each pair; `search` finds out about the one of an index. What another thread is searching already
    /// is waited for when nothing else is left to do.
    pub(super) fn all(
        &self,
        pairs: impl Iterator<Item = Pair>,
        search: impl Fn(usize) -> Option<Witness>,
    ) -> Vec<Option<Witness>> {
        let begun: Vec<Found> = pairs
            .enumerate()
            .map(|(index, pair)| {
                let (found, is_mine) = self.begin(pair);
                if is_mine {
                    found.get_or_init(|| search(index));
                }
                found
            })
            .collect();
        // A search that broke is made again.
        begun
            .into_iter()
            .enumerate()
            .map(|(index, found)| found.get_or_init(|| search(index)).clone())
            .collect()
    }

    /// A pair's search, and whether it is to be made here.
    fn begin(&self, pair: Pair) -> (Found, bool) {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(pair) {
            Entry::Occupied(entry) => (entry.get().clone(), false),
            Entry::Vacant(entry) => (entry.insert(Found::default()).clone(), true),
        }
    }
}
