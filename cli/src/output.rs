//! Output files: written whole or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Where an artifact's manifest lies.
pub fn manifest_path(artifact: &Path) -> PathBuf {
    let mut name = artifact.as_os_str().to_owned();
    name.push(".reloc.json");
    name.into()
}

/// Writes an artifact and its manifest. Both are complete before either has its name.
///
/// # Errors
/// With the system's reason; nothing is left behind then.
pub fn write(artifact: &Path, bytes: &[u8], manifest: &str) -> Result<(), CliError> {
    let manifest_path = manifest_path(artifact);
    let manifest = prepare(&manifest_path, manifest.as_bytes())?;
    let prepared = prepare(artifact, bytes)?;
    persist(manifest, &manifest_path)?;
    persist(prepared, artifact)
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
        let mut file = tempfile::Builder::new().prefix(".relo-").tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        let mut permissions = file.as_file().metadata()?.permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o644);
        file.as_file().set_permissions(permissions)?;
        Ok(file)
    };
    attempt().map_err(|error| CliError::Write { path: path.display().to_string(), reason: error.to_string() })
}

fn persist(file: tempfile::NamedTempFile, path: &Path) -> Result<(), CliError> {
    file.persist(path).map(|_| ()).map_err(|error| CliError::Write {
        path: path.display().to_string(),
        reason: error.error.to_string(),
    })
}
