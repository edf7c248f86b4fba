//! What the fuzz targets have found worth keeping is read again.

use std::path::Path;

use relo_fuzz::TARGETS;

#[test]
fn corpora_are_read_again() {
    for (name, target) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let mut count = 0;
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{name}: {error}")).flatten() {
            let bytes = std::fs::read(entry.path()).expect("readable");
            // The fuzzer hands over what is UTF-8 only.
            if let Ok(text) = std::str::from_utf8(&bytes) {
                target(text);
                count += 1;
            }
        }
        assert!(count > 20, "the corpus of {name} has {count} texts");
    }
}
