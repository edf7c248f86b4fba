//! The shipped packs, from disk.

use relo_engine::PackSource;
use relo_grammar::span::Source;

use crate::cases::root;

/// The packs in `rules/`, their files named as the embedded ones are.
pub fn packs() -> Vec<PackSource> {
    let rules = root().join("rules");
    let mut folders: Vec<_> = std::fs::read_dir(rules)
        .expect("rules/ is there")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("pack.yaml").exists())
        .collect();
    folders.sort();
    let read = |path: &std::path::Path| {
        let name =
            path.strip_prefix(root().join("rules")).expect("it lies there").to_string_lossy().into_owned();
        Source::new(name, std::fs::read_to_string(path).expect("readable"))
    };
    folders
        .iter()
        .map(|folder| {
            let mut files: Vec<_> = std::fs::read_dir(folder)
                .expect("it was just listed")
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|extension| extension == "relo"))
                .collect();
            files.sort();
            PackSource {
                yaml: read(&folder.join("pack.yaml")),
                files: files.iter().map(|file| read(file)).collect(),
            }
        })
        .collect()
}
