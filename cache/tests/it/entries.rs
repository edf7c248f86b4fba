//! What is read is what was written, or is refused.

use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use proptest::sample::Index;
use relo_cache::{Entry, EntryError, Lookup};

use crate::support::{cache, entry, key};

#[test]
fn what_was_kept_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache(&folder.path().join("deeper/cache"));
    assert!(matches!(cache.get(&key(1)), Ok(Lookup::Absent)));
    assert!(cache.put(&key(1), &entry(1, 1000, true)).expect("kept"));
    assert!(matches!(cache.get(&key(1)), Ok(Lookup::Found(found)) if found == entry(1, 1000, true)));
    assert!(matches!(cache.get(&key(2)), Ok(Lookup::Absent)));
    assert_eq!(cache.stats().expect("read").entries, 1);
}

#[test]
fn an_artifact_of_one_session_is_never_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache(folder.path());
    let bound = entry(1, 100, false);
    assert!(!cache.put(&key(1), &bound).expect("nothing fails"));
    assert_eq!(cache.stats().expect("read").entries, 0);
    // Nor believed where somebody else has kept it.
    assert_eq!(Entry::decode(&bound.encode(&key(1)), &key(1)), Err(EntryError::Bound));
}

#[test]
fn an_entry_under_another_name_is_refused() {
    let bytes = entry(1, 100, true).encode(&key(1));
    assert_eq!(Entry::decode(&bytes, &key(2)), Err(EntryError::Key));
    let mut other = entry(1, 100, true);
    other.artifact = entry(2, 100, true).artifact;
    assert!(matches!(Entry::decode(&other.encode(&key(1)), &key(1)), Err(EntryError::Manifest(_))));
}

#[test]
fn a_damaged_entry_is_told_and_never_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache(folder.path());
    for number in 1..=3 {
        cache.put(&key(number), &entry(number, 500, true)).expect("kept");
    }
    let path = |number| {
        let name = key(number).to_string();
        folder.path().join(&name[..2]).join(name)
    };
    let mut bytes = std::fs::read(path(1)).expect("it is there");
    bytes[200] ^= 1;
    std::fs::write(path(1), &bytes).expect("written");
    std::fs::write(path(2), &bytes[..100]).expect("written");
    assert!(matches!(cache.get(&key(1)), Ok(Lookup::Damaged(damage)) if damage.reason == EntryError::Hash));
    assert!(cache.put(&key(1), &entry(1, 500, true)).expect("kept"), "it is replaced");
    assert!(matches!(cache.get(&key(1)), Ok(Lookup::Found(found)) if found == entry(1, 500, true)));
    let report = cache.verify().expect("read");
    assert_eq!((report.left.entries, report.damaged.len()), (2, 1));
    assert!(!path(2).exists());
}

/// A folder may be somebody's, a bucket several programs'.
#[test]
fn what_is_no_entry_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache(folder.path());
    cache.put(&key(1), &entry(1, 500, true)).expect("kept");
    let other = folder.path().join("Do/Documents");
    std::fs::create_dir_all(folder.path().join("Do")).expect("made");
    std::fs::write(&other, "mine").expect("written");
    assert_eq!(cache.stats().expect("read").entries, 1);
    assert!(cache.verify().expect("read").damaged.is_empty());
    assert_eq!(cache.gc(0).expect("evicted").evicted, 1);
    assert!(other.exists());
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = cache(folder.path());
    for number in 1..=4 {
        cache.put(&key(number), &entry(number, 10_000, true)).expect("kept");
        let name = key(number).to_string();
        let file = std::fs::File::options().append(true).open(folder.path().join(&name[..2]).join(&name));
        let time = SystemTime::now() - Duration::from_secs(100 - number);
        file.and_then(|file| file.set_modified(time)).expect("its time can be set");
    }
    cache.get(&key(1)).expect("read");
    let report = cache.gc(25_000).expect("evicted");
    assert_eq!((report.left.entries, report.evicted), (2, 2));
    let found = |number| matches!(cache.get(&key(number)), Ok(Lookup::Found(_)));
    assert_eq!([1, 2, 3, 4].map(found), [true, false, false, true], "1 was used last, 4 written last");
}

proptest! {
    #[test]
    fn no_damage_is_believed(place in any::<Index>(), by in 1..=255u8, size in 0..200usize, cut in any::<bool>()) {
        let whole = entry(7, size, true).encode(&key(7));
        let mut bytes = whole.clone();
        let place = place.index(bytes.len());
        if cut {
            bytes.truncate(place);
        } else {
            bytes[place] ^= by;
        }
        prop_assert!(Entry::decode(&bytes, &key(7)).is_err());
        // Nothing with a whole entry behind it is that entry.
        prop_assume!(!bytes.is_empty());
        bytes.extend_from_slice(&whole);
        prop_assert!(Entry::decode(&bytes, &key(7)).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>()) {
        prop_assert!(Entry::decode(&bytes, &key(7)).is_err());
        let mut head = b"relo cache entry 1\n".to_vec();
        head.extend_from_slice(blake3::hash(&bytes).as_bytes());
        head.extend_from_slice(&bytes);
        prop_assert!(Entry::decode(&head, &key(7)).is_err());
    }
}
