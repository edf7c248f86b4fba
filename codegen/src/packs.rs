//! Packs: those in the binary, and those of a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use relo_engine::PackSource;
use relo_grammar::span::Source;

use crate::error::CodegenError;

#[derive(rust_embed::RustEmbed)]
#[folder = "../rules"]
#[include = "*.yaml"]
#[include = "*.relo"]
struct Shipped;

/// The packs that come with relo.
pub fn shipped_packs() -> Vec<PackSource> {
    let mut folders: BTreeMap<String, Vec<Source>> = BTreeMap::new();
    for name in Shipped::iter() {
        if let (Some((folder, _)), Some(file)) = (name.split_once('/'), Shipped::get(&name)) {
            let text = String::from_utf8_lossy(&file.data).into_owned();
            folders.entry(folder.to_owned()).or_default().push(Source::new(name.as_ref(), text));
        }
    }
    folders.into_values().filter_map(gather).collect()
}

/// The packs of a folder: itself, or those in it.
///
/// # Errors
/// When there are none, or a file can't be read.
pub fn read_packs(folder: &Path) -> Result<Vec<PackSource>, CodegenError> {
    let fail = |message: String| CodegenError::Packs { path: folder.display().to_string(), message };
    let mut packs = Vec::new();
    let mut folders = vec![folder.to_owned()];
    folders.extend(
        list(folder).map_err(|error| fail(error.to_string()))?.into_iter().filter(|path| path.is_dir()),
    );
    for folder in folders {
        if !folder.join("pack.yaml").exists() {
            continue;
        }
        let mut sources = Vec::new();
        for path in list(&folder).map_err(|error| fail(error.to_string()))? {
            if path.extension().is_some_and(|extension| extension == "relo" || extension == "yaml") {
                let text = std::fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
                sources.push(Source::new(path.display().to_string(), text));
            }
        }
        packs.extend(gather(sources));
    }
    if packs.is_empty() { Err(fail("no pack.yaml is there".into())) } else { Ok(packs) }
}

fn list(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn gather(sources: Vec<Source>) -> Option<PackSource> {
    let (yaml, files): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| source.name.ends_with("pack.yaml"));
    Some(PackSource {
        yaml: yaml.into_iter().next()?,
        files: files.into_iter().filter(|f| f.name.ends_with(".relo")).collect(),
    })
}
