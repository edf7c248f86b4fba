//! Snapshots in insta's format: `SNAPSHOTS/PACK/RULE/NAME.snap`, and `.snap.new` beside it while it waits for review.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::gather::{Test, file_stem};
use crate::judge::{Outcome, Verdict};

/// A snapshot that can't be read or written.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[error("the snapshot `{path}`: {reason}")]
#[diagnostic(code("relo::test::snapshot"), help("remove it, and accept it anew"))]
pub struct SnapshotError {
    /// The file.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What to do with results that nobody accepted yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// Nothing.
    Never,
    /// Write `.snap.new`, for `relo test --review` or `cargo insta review`.
    Pending,
    /// Accept them.
    Accept,
}

/// A folder of snapshots.
#[derive(Clone, Debug)]
pub struct Snapshots {
    folder: PathBuf,
}

/// A result that waits for review.
#[derive(Clone, Debug)]
pub struct Pending {
    /// What waits.
    pub new: PathBuf,
    /// What was accepted before.
    pub accepted: Option<String>,
    /// What would be.
    pub text: String,
}

impl Snapshots {
    /// The snapshots in a folder, which need not exist.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Where a test's snapshot lies.
    pub fn path(&self, test: &Test) -> PathBuf {
        let mut path = self.folder.join(&test.pack);
        if let Some(rule) = &test.rule {
            path.push(rule.strip_prefix(&format!("{}.", test.pack)).unwrap_or(rule));
        }
        path.join(format!("{}.snap", file_stem(&test.name)))
    }

    /// What was accepted for a test.
    ///
    /// # Errors
    /// When the file is no snapshot.
    pub fn accepted(&self, test: &Test) -> Result<Option<String>, SnapshotError> {
        let path = self.path(test);
        if path.exists() { contents(&path).map(Some) } else { Ok(None) }
    }

    /// Writes what an outcome asks for; `None` where there is nothing to write.
    ///
    /// # Errors
    /// With the system's reason.
    pub fn update(&self, outcome: &Outcome, update: Update) -> Result<Option<PathBuf>, SnapshotError> {
        let path = self.path(&outcome.test);
        let new = pending_path(&path);
        let wanted = matches!(outcome.verdict, Verdict::New | Verdict::Wrong { .. });
        if !wanted {
            if update != Update::Never && new.exists() {
                std::fs::remove_file(&new).map_err(|error| fail(&new, &error))?;
            }
            return Ok(None);
        }
        if update == Update::Never {
            return Ok(None);
        }
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))
            .map_err(|error| fail(&path, &error))?;
        std::fs::write(&new, self.written(outcome)).map_err(|error| fail(&new, &error))?;
        if update == Update::Accept {
            return accept(&new).map(Some);
        }
        Ok(Some(new))
    }

    /// insta's format: its own head, then the contents.
    fn written(&self, outcome: &Outcome) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let base = self.folder.parent().unwrap_or(Path::new(""));
        let source = Path::new(&*outcome.test.source.name);
        let source = source.strip_prefix(base).unwrap_or(source).display().to_string();
        format!(
            "---\nsource: {}\nassertion_line: {}\ndescription: {}\n---\n{}\n",
            quoted(&source),
            outcome.test.line(),
            quoted(&outcome.test.title()),
            outcome.text.trim_end(),
        )
    }

    /// Everything that waits for review.
    ///
    /// # Errors
    /// When a file is no snapshot.
    pub fn pending(&self) -> Result<Vec<Pending>, SnapshotError> {
        let mut files = BTreeSet::new();
        collect(&self.folder, &mut files);
        files
            .into_iter()
            .filter(|path| path.to_string_lossy().ends_with(".snap.new"))
            .map(|new| {
                let path = new.with_extension("");
                let accepted = if path.exists() { Some(contents(&path)?) } else { None };
                Ok(Pending { text: contents(&new)?, accepted, new })
            })
            .collect()
    }

    /// Snapshots of rules' tests that are gone: of the packs whose tests these are, all of them.
    pub fn orphans<'a>(&self, tests: impl IntoIterator<Item = &'a Test> + Clone) -> Vec<PathBuf> {
        let known: BTreeSet<PathBuf> = tests.clone().into_iter().map(|test| self.path(test)).collect();
        let packs: BTreeSet<&str> = tests.into_iter().map(|test| test.pack.as_str()).collect();
        let mut files = BTreeSet::new();
        for pack in packs {
            collect(&self.folder.join(pack), &mut files);
        }
        files
            .into_iter()
            .filter(|path| path.extension().is_some_and(|e| e == "snap") && !known.contains(path))
            .collect()
    }
}

/// Accepts a pending snapshot; gives where it lies now.
///
/// # Errors
/// With the system's reason.
pub fn accept(new: &Path) -> Result<PathBuf, SnapshotError> {
    let path = new.with_extension("");
    // insta writes it, so that its own tools see no difference later.
    let snapshot = insta::Snapshot::from_file(new).map_err(|error| fail(new, &*error))?;
    snapshot.save(&path).map_err(|error| fail(&path, &*error))?;
    std::fs::remove_file(new).map_err(|error| fail(new, &error))?;
    Ok(path)
}

impl Pending {
    /// Accepts it.
    ///
    /// # Errors
    /// With the system's reason.
    pub fn accept(&self) -> Result<PathBuf, SnapshotError> {
        accept(&self.new)
    }

    /// Throws it away.
    ///
    /// # Errors
    /// With the system's reason.
    pub fn reject(&self) -> Result<(), SnapshotError> {
        std::fs::remove_file(&self.new).map_err(|error| fail(&self.new, &error))
    }
}

/// What changes from one text to another, as a unified diff.
pub fn difference(old: &str, new: &str) -> String {
    similar::TextDiff::from_lines(&format!("{}\n", old.trim_end()), &format!("{}\n", new.trim_end()))
        .unified_diff()
        .context_radius(3)
        .to_string()
}

fn pending_path(path: &Path) -> PathBuf {
    path.with_extension("snap.new")
}

fn contents(path: &Path) -> Result<String, SnapshotError> {
    let snapshot = insta::Snapshot::from_file(path).map_err(|error| fail(path, &*error))?;
    let text = snapshot.as_text().map(ToString::to_string);
    text.ok_or_else(|| SnapshotError { path: path.display().to_string(), reason: "it is binary".into() })
}

fn fail(path: &Path, error: &dyn std::error::Error) -> SnapshotError {
    SnapshotError { path: path.display().to_string(), reason: error.to_string() }
}

fn collect(folder: &Path, files: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path);
        }
    }
}
