//! What the fuzz targets have found worth keeping is read again.

use std::path::Path;

use relo_fuzz::{BINARY, TARGETS};

/// The inputs of a target.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{name}: {error}")).flatten();
    let all: Vec<Vec<u8>> = entries.map(|entry| std::fs::read(entry.path()).expect("readable")).collect();
    assert!(all.len() > 20, "the corpus of {name} has {} inputs", all.len());
    all
}

#[test]
fn corpora_are_read_again() {
    for (name, target) in TARGETS {
        // The fuzzer hands over what is UTF-8 only.
        let all = corpus(name);
        let texts: Vec<&str> = all.iter().filter_map(|bytes| str::from_utf8(bytes).ok()).collect();
        assert!(texts.len() > 20, "the corpus of {name} has {} texts", texts.len());
        texts.into_iter().for_each(target);
    }
    for (name, target) in BINARY {
        corpus(name).iter().for_each(|bytes| target(bytes));
    }
}
