//! Loading: check everything, resolve everything, then write everything.

use std::path::Path;

use relo_referent::Action;

use crate::elf::Elf;
use crate::error::{LoadError, Unresolved};
use crate::image::{Image, Write};
use crate::manifest::Manifest;
use crate::resolver::{Resolver, Root, apply_addend};

/// The kind of artifact that [`load`] takes, as `--emit` names it.
pub const ARTIFACT_KIND: &str = "shared-object";

/// Loads a shared object and fills in its words. Nothing is touched before all is known to be right, and no code of
/// the artifact runs before its last word is written, its own initialisers apart.
///
/// # Errors
/// When artifact and manifest don't belong together, the artifact is of another kind, a site is not in it, or
/// referents can't be resolved: all of them are listed.
pub fn load(artifact: &Path, manifest: &Manifest, resolver: &dyn Resolver) -> Result<Image, LoadError> {
    let bytes = std::fs::read(artifact).map_err(|error| LoadError::Read {
        path: artifact.display().to_string(),
        reason: error.to_string(),
    })?;
    let elf = check(&bytes, manifest)?;
    let (writes, roots) = resolve(manifest, resolver)?;
    Image::open(&bytes, elf, &writes, manifest.entries.clone(), roots)
}

fn check(bytes: &[u8], manifest: &Manifest) -> Result<Elf, LoadError> {
    let artifact = &manifest.artifact;
    if bytes.len() as u64 != artifact.size {
        let what = format!("it has {} bytes, not {}", bytes.len(), artifact.size);
        return Err(LoadError::Hash { what });
    }
    let hash = blake3::hash(bytes).to_hex();
    if !hash.eq_ignore_ascii_case(&artifact.blake3) {
        let what = format!("its hash is {hash}, not {}", artifact.blake3);
        return Err(LoadError::Hash { what });
    }
    if artifact.kind != ARTIFACT_KIND {
        return Err(LoadError::Unsupported { what: format!("artifacts of kind `{}`", artifact.kind) });
    }
    let elf = Elf::read(bytes).map_err(|what| LoadError::Unsupported { what })?;
    for site in &manifest.sites {
        if !matches!(site.action, Action::Write) {
            let what = format!("sites with the action `{}`", site.action.name());
            return Err(LoadError::Unsupported { what });
        }
        let refuse =
            |reason: String| LoadError::Site { symbol: site.symbol.clone(), offset: site.offset, reason };
        let at = site.at.ok_or_else(|| refuse("the manifest does not say where".into()))?;
        elf.check(&site.symbol, site.offset, at, u64::from(site.width / 8)).map_err(refuse)?;
    }
    Ok(elf)
}

fn resolve(manifest: &Manifest, resolver: &dyn Resolver) -> Result<(Vec<Write>, Vec<Root>), LoadError> {
    let mut unresolved = Vec::new();
    let mut words = Vec::new();
    let mut roots = Vec::new();
    for referent in &manifest.referents {
        match apply_addend(resolver, referent) {
            Ok(resolved) => {
                words.push(resolved.word);
                roots.extend(resolved.root);
            }
            Err(reason) => {
                words.push(0);
                unresolved.push(Unresolved { referent: referent.clone(), reason });
            }
        }
    }
    let mut writes = Vec::new();
    for site in &manifest.sites {
        let word = words[site.referent];
        if site.width == 32 && u32::try_from(word).is_err() {
            let reason = format!("its word {word:#x} does not fit into 32 bits of `{}`", site.symbol);
            unresolved.push(Unresolved { referent: manifest.referents[site.referent].clone(), reason });
        }
        writes.push((site.at.unwrap_or_default(), site.width, word));
    }
    if unresolved.is_empty() { Ok((writes, roots)) } else { Err(LoadError::Unresolved(unresolved)) }
}
