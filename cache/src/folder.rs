//! A folder as a store: files that are written under another name and then renamed.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::store::{Store, StoreError, Stored};

/// Files of this age that have no name yet are nobody's.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A folder of entries, in sub-folders by their names' first two characters.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Opens a folder, which is made when something is kept in it.
    ///
    /// # Errors
    /// When there is something else at the path.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let folder = Self { root: root.into() };
        match fs::metadata(&folder.root) {
            Ok(found) if !found.is_dir() => Err(folder.error("it is no folder".to_owned())),
            _ => Ok(folder),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name.get(..2).unwrap_or(name)).join(name)
    }

    fn unfinished(&self) -> PathBuf {
        self.root.join("unfinished")
    }

    fn error(&self, reason: impl ToString) -> StoreError {
        StoreError { store: self.root.display().to_string(), reason: reason.to_string() }
    }
}

impl Store for Folder {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match fs::read(self.path(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }

    fn touch(&self, name: &str) {
        // Who may only read does not note it.
        if let Ok(file) = File::options().append(true).open(self.path(name)) {
            let _ = file.set_modified(SystemTime::now());
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let attempt = || -> std::io::Result<()> {
            let path = self.path(name);
            let shelf = path.parent().unwrap_or(&self.root);
            fs::create_dir_all(shelf)?;
            fs::create_dir_all(self.unfinished())?;
            let mut file = tempfile::NamedTempFile::new_in(self.unfinished())?;
            file.write_all(bytes)?;
            file.as_file().sync_data()?;
            file.persist(&path).map_err(|error| error.error)?;
            // The new name is the folder's to keep.
            File::open(shelf)?.sync_all()
        };
        attempt().map_err(|error| self.error(error))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.path(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.error(error)),
            _ => Ok(()),
        }
    }

    fn list(&self) -> Result<Vec<Stored>, StoreError> {
        let mut all = Vec::new();
        for folder in children(&self.root).map_err(|error| self.error(error))? {
            if folder == self.unfinished() || !folder.is_dir() {
                continue;
            }
            for path in children(&folder).map_err(|error| self.error(error))? {
                // Others may remove it meanwhile.
                let (Ok(found), Some(name)) = (fs::metadata(&path), path.file_name()) else { continue };
                all.push(Stored {
                    name: name.to_string_lossy().into_owned(),
                    size: found.len(),
                    used: found.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                });
            }
        }
        Ok(all)
    }

    fn tidy(&self) -> Result<usize, StoreError> {
        let mut removed = 0;
        for path in children(&self.unfinished()).map_err(|error| self.error(error))? {
            let age = fs::metadata(&path).and_then(|found| found.modified()).ok();
            let old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > ABANDONED);
            removed += usize::from(old && fs::remove_file(&path).is_ok());
        }
        Ok(removed)
    }
}

fn children(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
