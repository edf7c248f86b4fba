//! Loading: check everything, resolve everything, then write everything.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use relo_referent::Action;

use crate::cells::Cells;
use crate::define::Undefined;
use crate::elf::{Elf, Layout};
use crate::error::{LoadError, Unresolved, quoted};
use crate::fill::{Write, fill};
use crate::manifest::{Manifest, SiteRecord};
use crate::resolver::{Resolver, Root, apply_addends};
use crate::shared_object::SharedObject;

/// The kind of artifact that [`load`] takes, as `--emit` names it.
pub const ARTIFACT_KIND: &str = "shared-object";

/// Loads a shared object with its words filled in. Nothing is touched before all is known to be right, and the words are
/// in the artifact before it is mapped: no code of it runs without them, its own initialisers included. The file is read
/// once: what was hashed is what runs, whatever happens to the file, and each call makes an image of its own.
///
/// Artifact and manifest are checked against each other. Whether the code may run at all is for the caller to know,
/// as with every library that a process loads.
///
/// An artifact that is not portable is loaded too: [`Manifest::portable`] says so, and [`load_portable`] refuses it.
///
/// # Errors
/// When artifact and manifest don't belong together, the artifact is of another kind, a site is not in it, or
/// referents can't be resolved: all of them are listed.
pub fn load(
    artifact: &Path,
    manifest: &Manifest,
    resolver: &dyn Resolver,
) -> Result<SharedObject, LoadError> {
    Artifact::open(artifact, manifest)?.into_image(resolver)
}

/// As [`load`], for an artifact in memory.
///
/// # Errors
/// As [`load`].
pub fn load_bytes(
    artifact: Vec<u8>,
    manifest: &Manifest,
    resolver: &dyn Resolver,
) -> Result<SharedObject, LoadError> {
    Artifact::new(artifact, manifest)?.into_image(resolver)
}

/// An artifact and its manifest, checked against each other: all that can be known of them without a session. It can be
/// loaded any number of times, by several threads at once, each time with other words.
pub struct Artifact<'m> {
    bytes: Vec<u8>,
    checked: Checked<'m>,
}

/// What is known of an artifact's bytes.
struct Checked<'m> {
    manifest: &'m Manifest,
    layout: Layout,
    wanted: Vec<(Undefined, Vec<&'m SiteRecord>)>,
}

impl<'m> Artifact<'m> {
    /// Reads and checks an artifact.
    ///
    /// # Errors
    /// As [`load`], except for what a session has to do with.
    pub fn open(path: &Path, manifest: &'m Manifest) -> Result<Self, LoadError> {
        manifest.check()?;
        Self::check(read(path, manifest)?, manifest)
    }

    /// As [`open`](Self::open), for an artifact in memory.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn new(bytes: Vec<u8>, manifest: &'m Manifest) -> Result<Self, LoadError> {
        manifest.check()?;
        Self::check(bytes, manifest)
    }

    fn check(bytes: Vec<u8>, manifest: &'m Manifest) -> Result<Self, LoadError> {
        let help = "it loads shared objects into this process: compile with `--emit shared-object`";
        check_kind(manifest, &[ARTIFACT_KIND], help)?;
        check_machine(&manifest.target.triple)?;
        let is_done = |action| !matches!(action, Action::Specialize | Action::Apply);
        let help = "into a loaded shared object words are written (`write`): compile with a strategy that asks for that";
        check_actions(manifest, is_done, help)?;
        check_hash(&bytes, manifest)?;
        let elf = Elf::read(&bytes)?;
        elf.check(&manifest.sites.iter().filter(is_written).collect::<Vec<_>>())?;
        let wanted = wanted(&elf, &manifest.sites)?;
        let layout = elf.into_layout();
        Ok(Self { bytes, checked: Checked { manifest, layout, wanted } })
    }

    /// Loads it with a session's words.
    ///
    /// # Errors
    /// When referents can't be resolved: all of them are listed. Or when the system refuses it.
    pub fn load(&self, resolver: &dyn Resolver) -> Result<SharedObject, LoadError> {
        self.checked.load(self.bytes.clone(), resolver)
    }

    fn into_image(self, resolver: &dyn Resolver) -> Result<SharedObject, LoadError> {
        self.checked.load(self.bytes, resolver)
    }
}

impl Checked<'_> {
    /// Loads these bytes, which are the ones that were checked.
    fn load(&self, mut bytes: Vec<u8>, resolver: &dyn Resolver) -> Result<SharedObject, LoadError> {
        let Self { manifest, layout, wanted } = self;
        let (words, mut roots) = resolve(manifest, resolver, is_delivered)?;
        let writes = writes(manifest, &words);
        fill(&mut bytes, layout, &writes)
            .map_err(|write| refuse(manifest, &write, "the file has no place for it"))?;
        for (symbol, sites) in wanted {
            let cells = Cells::new(sites.iter().map(|site| (site.offset, site.width, words[site.referent])))?;
            symbol.define(&mut bytes, cells.address());
            roots.push(Arc::new(cells));
        }
        let image = SharedObject::open(&bytes, layout.loaded.clone(), manifest.entries.clone(), roots)?;
        match writes.iter().find(|write| !image.holds(write)) {
            Some(write) => Err(refuse(manifest, write, "the artifact's own relocations change it")),
            None => Ok(image),
        }
    }
}

/// A site that can't be what the manifest says, by where it is.
fn refuse(manifest: &Manifest, write: &Write, reason: &str) -> LoadError {
    let site = manifest.sites.iter().find(|site| site.at == Some(write.at));
    let (symbol, offset) = site.map(|site| (site.symbol.clone(), site.offset)).unwrap_or_default();
    LoadError::Site { symbol, offset, reason: reason.to_owned() }
}

/// As [`load`], for artifacts of other sessions: one that holds words of the session that compiled it is refused.
///
/// # Errors
/// As [`load`], and when the artifact is not portable.
pub fn load_portable(
    artifact: &Path,
    manifest: &Manifest,
    resolver: &dyn Resolver,
) -> Result<SharedObject, LoadError> {
    if !manifest.portable {
        return Err(LoadError::NotPortable);
    }
    load(artifact, manifest, resolver)
}

/// Reads a manifest's artifact, of whatever kind, and checks that it is the one.
///
/// # Errors
/// When it can't be read, or is another.
pub fn read_artifact(artifact: &Path, manifest: &Manifest) -> Result<Vec<u8>, LoadError> {
    let bytes = read(artifact, manifest)?;
    check_hash(&bytes, manifest)?;
    Ok(bytes)
}

/// The file's bytes: of one that is too large, enough to see that.
fn read(artifact: &Path, manifest: &Manifest) -> Result<Vec<u8>, LoadError> {
    let fail = |reason: String| LoadError::Read { path: artifact.display().to_string(), reason };
    let is_file = std::fs::metadata(artifact).map_err(|error| fail(error.to_string()))?.is_file();
    if !is_file {
        return Err(fail("it is not a file".into()));
    }
    let mut bytes = Vec::new();
    File::open(artifact)
        .and_then(|file| file.take(manifest.artifact.size.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(|error| fail(error.to_string()))?;
    Ok(bytes)
}

/// Whether the bytes are the manifest's.
///
/// # Errors
/// What differs.
pub fn check_hash(artifact: &[u8], manifest: &Manifest) -> Result<(), LoadError> {
    let (size, wanted) = (artifact.len() as u64, &manifest.artifact);
    if size > wanted.size {
        return Err(LoadError::Hash { what: format!("it has more than {} bytes", wanted.size) });
    }
    if size < wanted.size {
        return Err(LoadError::Hash { what: format!("it has {size} bytes, not {}", wanted.size) });
    }
    let hash = blake3::hash(artifact).to_hex();
    if hash.as_str() != wanted.blake3 {
        return Err(LoadError::Hash { what: format!("its hash is {hash}, not {}", wanted.blake3) });
    }
    Ok(())
}

/// Whether this machine is the one that a triple is about. Triples are `ARCHITECTURE-VENDOR-SYSTEM-ENVIRONMENT`, with parts left
/// out.
///
/// # Errors
/// When it is another.
pub fn check_machine(triple: &str) -> Result<(), LoadError> {
    let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let mut parts = triple.split('-');
    if parts.next() == Some(architecture) && parts.any(|part| part.starts_with(system)) {
        return Ok(());
    }
    Err(LoadError::Machine { found: quoted(triple), here: format!("{architecture}-{system}") })
}

/// Whether the artifact is of one of the kinds that an image is made of, as `--emit` names them; `help` says which.
///
/// # Errors
/// When it is of another.
pub fn check_kind(manifest: &Manifest, kinds: &[&str], help: &'static str) -> Result<(), LoadError> {
    let kind = &manifest.artifact.kind;
    if kinds.contains(&kind.as_str()) { Ok(()) } else { Err(LoadError::Kind { kind: kind.clone(), help }) }
}

/// Whether all sites ask for what an image can do; `help` says what.
///
/// # Errors
/// The first that asks for something else.
pub fn check_actions(
    manifest: &Manifest,
    is_done: impl Fn(Action) -> bool,
    help: &'static str,
) -> Result<(), LoadError> {
    let Some(site) = manifest.sites.iter().find(|site| !is_done(site.action)) else { return Ok(()) };
    let SiteRecord { symbol, offset, action, .. } = site;
    Err(LoadError::Action { symbol: symbol.clone(), offset: *offset, action: *action, help })
}

/// A word of a table is written where the artifact has the table itself.
fn is_written(site: &&SiteRecord) -> bool {
    site.action == Action::Write || (site.action == Action::Table && site.at.is_some())
}

/// A cell that a symbol is to be the address of, or words of a table that it is to be the address of.
fn is_wanted(site: &&SiteRecord) -> bool {
    site.action == Action::Define || (site.action == Action::Table && site.at.is_none())
}

/// The symbols that the artifact leaves to be defined, with their sites.
fn wanted<'m>(
    elf: &Elf<'_>,
    sites: &'m [SiteRecord],
) -> Result<Vec<(Undefined, Vec<&'m SiteRecord>)>, LoadError> {
    let mut wanted: BTreeMap<&str, (Undefined, Vec<&SiteRecord>)> = BTreeMap::new();
    if !sites.iter().any(|site| is_wanted(&site)) {
        return Ok(Vec::new());
    }
    let undefined = elf.undefined();
    for site in sites.iter().filter(is_wanted) {
        let refuse = |reason: &str| LoadError::Site {
            symbol: site.symbol.clone(),
            offset: site.offset,
            reason: reason.to_owned(),
        };
        if site.action == Action::Define && (site.offset != 0 || site.at.is_some()) {
            return Err(refuse("a symbol is defined as a whole, outside the artifact"));
        }
        let symbol = undefined
            .get(site.symbol.as_bytes())
            .ok_or_else(|| refuse("the artifact does not leave such a symbol to be defined"))?;
        wanted.entry(&site.symbol).or_insert_with(|| (*symbol, Vec::new())).1.push(site);
    }
    Ok(wanted.into_values().collect())
}

fn is_delivered(site: &SiteRecord) -> bool {
    is_written(&site) || is_wanted(&site)
}

/// The words of the referents, and what keeps them valid. A referent none of whose sites needs its word is
/// not asked for.
///
/// # Errors
/// All referents that can't be resolved.
pub fn resolve(
    manifest: &Manifest,
    resolver: &dyn Resolver,
    is_needed: impl Fn(&SiteRecord) -> bool,
) -> Result<(Vec<u64>, Vec<Root>), LoadError> {
    let mut needed = vec![false; manifest.referents.len()];
    for site in manifest.sites.iter().filter(|site| is_needed(site)) {
        needed[site.referent] = true;
    }
    let asked: Vec<usize> = (0..needed.len()).filter(|index| needed[*index]).collect();
    let referents: Vec<_> = asked.iter().map(|index| &manifest.referents[*index]).collect();
    let mut unresolved = Vec::new();
    let mut words = vec![0; manifest.referents.len()];
    let mut roots = Vec::new();
    for (index, answer) in asked.into_iter().zip(apply_addends(resolver, &referents)) {
        match answer {
            Ok(resolved) => {
                words[index] = resolved.word;
                roots.extend(resolved.root);
            }
            Err(reason) => {
                unresolved.push(Unresolved { referent: manifest.referents[index].clone(), reason });
            }
        }
    }
    for site in manifest.sites.iter().filter(|site| is_needed(site)) {
        let word = words[site.referent];
        if site.width == 32 && u32::try_from(word).is_err() {
            let reason =
                format!("its word {word:#x} does not fit into the 32 bits of {}", quoted(&site.symbol));
            unresolved.push(Unresolved { referent: manifest.referents[site.referent].clone(), reason });
        }
    }
    if unresolved.is_empty() { Ok((words, roots)) } else { Err(LoadError::Unresolved(unresolved)) }
}

/// The words to write. The artifact was checked to have a place for each.
fn writes(manifest: &Manifest, words: &[u64]) -> Vec<Write> {
    let written = manifest.sites.iter().filter(is_written);
    written
        .filter_map(|site| Some(Write { at: site.at?, width: site.width, word: words[site.referent] }))
        .collect()
}
