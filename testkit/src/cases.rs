//! Cases: a folder of inputs, a snapshot of each output.

use std::path::{Path, PathBuf};

/// The project's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the project is there")
}

/// An input, with what its head says: lines `// key: value`.
pub struct Case {
    /// The file.
    pub path: PathBuf,
    /// Its name without extension.
    pub name: String,
    /// The whole text.
    pub text: String,
    head: Vec<(String, String)>,
}

impl Case {
    /// The values of a key, in order.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.head.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// The first value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.head.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// The cases of a folder, by name. A folder without any is a mistake.
pub fn cases(folder: &Path, extension: &str) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no .{extension} cases", folder.display());
    paths.into_iter().map(|path| case(&path)).collect()
}

fn case(path: &Path) -> Case {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let head = text
        .lines()
        .map_while(|line| line.strip_prefix("// ").or_else(|| line.strip_prefix("; ")))
        .filter_map(|line| line.split_once(": "))
        .map(|(key, value)| (key.to_owned(), value.trim().to_owned()))
        .collect();
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Case { path: path.to_owned(), name, text, head }
}

/// Runs `f` with insta set up to keep snapshots in `snapshots/FOLDER`.
pub fn snapshots(folder: &str, f: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(f);
}
