//! An object or a module of IR, from bytes to addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use relo_loader::{
    Cells, Image, LoadError, Manifest, Resolver, Root, SiteRecord, check_actions, check_hash, check_kind,
    check_machine, resolve,
};
use relo_referent::Action;

use crate::jit::{Jit, compile};
use crate::object::Object;

/// The kinds of artifact that are linked, as `--emit` names them; what is no object is IR, and compiled first.
const KINDS: [&str; 3] = [OBJECT, "llvm", "bitcode"];
const OBJECT: &str = "object";

/// Code that ORC has linked in this process. Dropping it unloads the code, then lets go of its roots.
pub struct JitImage {
    entries: Vec<String>,
    addresses: BTreeMap<String, u64>,
    // Before the roots: what the code refers to outlives it.
    _jit: Jit,
    _roots: Vec<Root>,
}

impl JitImage {
    /// Links an object, or compiles IR and links that, with its words filled in: all of them, or nothing is left of it.
    /// Symbols that have nothing to do with relocations are looked for in this process.
    ///
    /// LLVM's back ends end the process on IR that they have no code for. Whether the code may run at all is for the caller to
    /// know, as with every library that a process loads.
    ///
    /// # Errors
    /// When artifact and manifest don't belong together, a site is not in it, referents can't be resolved - all of them are
    /// listed -, or LLVM refuses.
    pub fn load(artifact: &[u8], manifest: &Manifest, resolver: &dyn Resolver) -> Result<Self, LoadError> {
        manifest.check()?;
        let help = "it links objects and IR: compile with `--emit object`, `llvm` or `bitcode`";
        check_kind(manifest, &KINDS, help)?;
        let is_ir = manifest.artifact.kind != OBJECT;
        check_machine(&manifest.target.triple)?;
        let is_done = |action| match action {
            Action::None | Action::Write | Action::Define | Action::Table => true,
            Action::Apply => is_ir,
            Action::Specialize => false,
        };
        let help = "in an object words are written, and symbols defined; relocations are applied to IR (`--emit llvm` or `bitcode`)";
        check_actions(manifest, is_done, help)?;
        check_hash(artifact, manifest)?;
        let bytes = if is_ir {
            let symbols: BTreeSet<&str> = manifest.sites.iter().map(|site| site.symbol.as_str()).collect();
            compile(artifact, &manifest.target, &symbols)?
        } else {
            artifact.to_vec()
        };
        let mut object = Object::read(bytes)?;
        let mut wanted: BTreeMap<&str, Vec<&SiteRecord>> = BTreeMap::new();
        let mut written = Vec::new();
        for site in manifest.sites.iter().filter(|site| site.action != Action::None) {
            // Code is left to find the cells of imported words and tables, and lacks the slots of deferred sites.
            if site.action != Action::Write && object.leaves(&site.symbol) {
                wanted.entry(&site.symbol).or_default().push(site);
            } else {
                written.push((object.place(site)?, site));
            }
        }
        let (words, mut roots) = resolve(manifest, resolver, |site| site.action != Action::None)?;
        for (place, site) in written {
            object.write(place, site, words[site.referent]);
        }
        let mut defined = Vec::new();
        for (symbol, sites) in wanted {
            let cells = Cells::new(sites.iter().map(|site| (site.offset, site.width, words[site.referent])))?;
            defined.push((symbol, cells.address()));
            roots.push(Arc::new(cells));
        }
        let jit = Jit::link(object.seal(), &defined)?;
        let mut addresses = BTreeMap::new();
        for entry in &manifest.entries {
            addresses.insert(entry.clone(), jit.address(entry)?);
        }
        Ok(Self { entries: manifest.entries.clone(), addresses, _jit: jit, _roots: roots })
    }
}

impl Image for JitImage {
    fn entries(&self) -> &[String] {
        &self.entries
    }

    fn entry(&self, name: &str) -> Result<u64, LoadError> {
        self.addresses.get(name).copied().ok_or_else(|| LoadError::no_entry(name, &self.entries))
    }
}
