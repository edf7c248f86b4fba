//! Entries to keep.

use std::collections::BTreeMap;
use std::path::Path;

use relo_cache::{Cache, Entry, Folder, Key, KeyBuilder, open};
use relo_loader::{ArtifactRecord, Manifest, TargetRecord, VERSION};

/// A cache in a folder.
pub fn cache(folder: &Path) -> Cache {
    Cache::new(Box::new(Folder::new(folder).expect("it is a folder")), None)
}

/// A cache in a folder, or at a URL.
pub fn cache_at(url: &str) -> Cache {
    Cache::new(open(url).expect("there is such a store"), None)
}

/// The key of a number.
pub fn key(number: u64) -> Key {
    let mut builder = KeyBuilder::new("test");
    builder.part("number", number.to_le_bytes());
    builder.finish()
}

/// The entry of a number: its artifact has so many bytes, all of them the number's.
pub fn entry(number: u64, size: usize, portable: bool) -> Entry {
    let artifact: Vec<u8> = number.to_le_bytes().into_iter().cycle().take(size).collect();
    let manifest = Manifest {
        relo: VERSION,
        target: TargetRecord {
            name: "here".into(),
            triple: "here-unknown".into(),
            cpu: String::new(),
            features: String::new(),
        },
        artifact: ArtifactRecord {
            kind: "bytes".into(),
            size: size as u64,
            blake3: blake3::hash(&artifact).to_hex().to_string(),
        },
        arguments: Vec::new(),
        entries: vec![format!("f{number}")],
        packs: Vec::new(),
        rules: Vec::new(),
        referents: Vec::new(),
        sites: Vec::new(),
        portable,
    };
    let unseen = BTreeMap::from([("g".to_owned(), "why not".to_owned())]);
    Entry { artifact, manifest: manifest.to_json(), unseen }
}
