//! Output files: written whole or not at all.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Where an artifact's manifest lies.
pub fn manifest_path(artifact: &Path) -> PathBuf {
    let mut name = artifact.as_os_str().to_owned();
    name.push(".reloc.json");
    name.into()
}

/// Writes an artifact and its manifest. Both are complete before either has its name, and an artifact is never beside
/// another one's manifest, whenever this ends: an earlier one goes first.
///
/// # Errors
/// With the system's reason; nothing is left behind then.
pub fn write(artifact: &Path, bytes: &[u8], manifest: &str) -> Result<(), CliError> {
    let manifest_path = manifest_path(artifact);
    let manifest = prepare(&manifest_path, manifest.as_bytes())?;
    let prepared = prepare(artifact, bytes)?;
    match std::fs::remove_file(artifact) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(artifact, &error)),
        _ => {}
    }
    persist(manifest, &manifest_path)?;
    persist(prepared, artifact)
}

/// Makes a folder for output files, unless it is there.
///
/// # Errors
/// With the system's reason.
pub fn make_folder(path: &Path) -> Result<(), CliError> {
    std::fs::create_dir_all(path).map_err(|error| refused(path, &error))
}

/// Writes a file.
///
/// # Errors
/// With the system's reason; the file is as it was then.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    persist(prepare(path, bytes)?, path)
}

fn prepare(path: &Path, bytes: &[u8]) -> Result<tempfile::NamedTempFile, CliError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || -> std::io::Result<tempfile::NamedTempFile> {
        // A device would be replaced.
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(std::io::Error::other("it is something else than a file"));
        }
        let mut file = tempfile::Builder::new().prefix(".relo-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        let mut permissions = file.as_file().metadata()?.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o644);
        file.as_file().set_permissions(permissions)?;
        Ok(file)
    };
    attempt().map_err(|error| refused(path, &error))
}

fn persist(file: tempfile::NamedTempFile, path: &Path) -> Result<(), CliError> {
    file.persist(path).map(|_| ()).map_err(|error| refused(path, &error.error))
}

fn refused(path: &Path, error: &std::io::Error) -> CliError {
    CliError::Write { path: path.display().to_string(), reason: error.to_string() }
}
