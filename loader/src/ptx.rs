//! PTX, loaded by NVIDIA's driver. Words are written into globals that are looked up by name: slots, places in records, and
//! the words of a table, which lies in the module's constant memory.

use std::ffi::CString;

use relo_referent::Action;

use crate::driver::{Driver, Module};
use crate::error::{LoadError, quoted};
use crate::image::Image;
use crate::load::{check_actions, check_hash, check_kind, resolve};
use crate::manifest::Manifest;
use crate::resolver::{Resolver, Root};

/// The kind of artifact that [`PtxModule::load`] takes, as `--emit` names it.
pub const PTX_KIND: &str = "ptx";

/// PTX in a device's memory.
pub struct PtxModule<'d> {
    // Before the roots: what the code refers to outlives it.
    module: Module<'d>,
    entries: Vec<String>,
    _roots: Vec<Root>,
}

impl<'d> PtxModule<'d> {
    /// Loads PTX into a device's primary context, its words filled in: all of them, or nothing is left of it.
    ///
    /// # Errors
    /// When artifact and manifest don't belong together, a site is not in the module, referents can't be resolved - all
    /// of them are listed -, or the driver refuses.
    pub fn load(
        driver: &'d Driver,
        device: u32,
        artifact: &[u8],
        manifest: &Manifest,
        resolver: &dyn Resolver,
    ) -> Result<Self, LoadError> {
        manifest.check()?;
        check_kind(manifest, &[PTX_KIND], "it loads PTX into a device: compile with `--emit ptx`")?;
        let is_done = |action| matches!(action, Action::None | Action::Write | Action::Table);
        let help = "into a module of PTX words are written: compile with a strategy that asks for `write` or `table`";
        check_actions(manifest, is_done, help)?;
        check_hash(artifact, manifest)?;
        let text = CString::new(artifact)
            .map_err(|_| LoadError::Malformed { what: "PTX", reason: "it has a NUL in it".into() })?;
        let (words, roots) = resolve(manifest, resolver, |site| site.action != Action::None)?;
        let module = Module::load(driver, device, &text)?;
        module.write(&runs(&module, manifest, &words)?)?;
        Ok(Self { module, entries: manifest.entries.clone(), _roots: roots })
    }
}

impl Image for PtxModule<'_> {
    fn entries(&self) -> &[String] {
        &self.entries
    }

    fn entry(&self, name: &str) -> Result<u64, LoadError> {
        self.module.function(name).ok_or_else(|| LoadError::no_entry(name, &self.entries))
    }
}

/// The words to write, those that lie side by side as one run. Nothing is written where one of them has no place.
fn runs(module: &Module<'_>, manifest: &Manifest, words: &[u64]) -> Result<Vec<(u64, Vec<u8>)>, LoadError> {
    let mut runs: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut here: Option<(&str, u64, u64)> = None;
    for site in manifest.sites.iter().filter(|site| site.action != Action::None) {
        let refuse =
            |reason: String| LoadError::Site { symbol: site.symbol.clone(), offset: site.offset, reason };
        // Sites are sorted by symbol: each is looked up once.
        let known = here.filter(|(symbol, ..)| *symbol == site.symbol);
        let (start, size) = match known {
            Some((_, start, size)) => (start, size),
            _ => {
                let (start, size) = module
                    .global(&site.symbol)
                    .ok_or_else(|| refuse("the module has no such global".into()))?;
                here = Some((&site.symbol, start, size));
                (start, size)
            }
        };
        if site.end().is_none_or(|end| end > size) {
            return Err(refuse(format!("{} has {size} bytes", quoted(&site.symbol))));
        }
        let (at, word) = (start.wrapping_add(site.offset), words[site.referent].to_le_bytes());
        let bytes = &word[..site.bytes() as usize];
        match runs.last_mut() {
            Some((start, run)) if known.is_some() && start.wrapping_add(run.len() as u64) == at => {
                run.extend_from_slice(bytes);
            }
            _ => runs.push((at, bytes.to_vec())),
        }
    }
    Ok(runs)
}
