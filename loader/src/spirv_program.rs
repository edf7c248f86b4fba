//! SPIR-V, loaded by OpenCL. Words are specialisation constants, set before the program is built, or lie in tables, which are
//! buffers that kernels are handed.

use std::collections::BTreeMap;
use std::ffi::c_void;

use relo_referent::Action;

use crate::cl::{ClContext, ClProgram};
use crate::error::{LoadError, quoted};
use crate::image::Image;
use crate::load::{check_actions, check_hash, check_kind, resolve};
use crate::manifest::{ArgumentRecord, Manifest, SiteRecord};
use crate::resolver::{Resolver, Root};
use crate::spirv::Spirv;

/// The kind of artifact that [`SpirvProgram::load`] takes, as `--emit` names it.
pub const SPIRV_KIND: &str = "spirv";

/// All tables have at most as many bytes together: 1 GiB.
const LARGEST: u64 = 1 << 30;

/// An argument of a kernel's that the loader has set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableArgument {
    /// Its place among the kernel's arguments, from 0.
    pub argument: u32,
    /// What it is set to: the `cl_mem` of the table.
    pub buffer: *mut c_void,
}

/// SPIR-V, built for a device of OpenCL's. An entry is a `cl_kernel` with its tables set: a host sets its own arguments and
/// starts it. As always, threads that set arguments of a kernel at once clone it, tables and all, by `clCloneKernel`.
///
/// It has to live until what was started of it is done: dropping it releases the kernels, then lets go of the roots.
pub struct SpirvProgram<'d> {
    // Before the roots: what the code refers to outlives it.
    program: ClProgram<'d>,
    entries: Vec<String>,
    arguments: BTreeMap<String, Vec<(u32, usize)>>,
    _roots: Vec<Root>,
}

impl<'d> SpirvProgram<'d> {
    /// Builds SPIR-V in a context, its words filled in: all of them, or nothing is left of it.
    ///
    /// # Errors
    /// When artifact and manifest don't belong together, a site is not in the module, referents can't be resolved - all
    /// of them are listed -, the device is none for it, or OpenCL refuses.
    pub fn load(
        context: &ClContext<'d>,
        artifact: &[u8],
        manifest: &Manifest,
        resolver: &dyn Resolver,
    ) -> Result<Self, LoadError> {
        manifest.check()?;
        check_kind(manifest, &[SPIRV_KIND], "it builds SPIR-V by OpenCL: compile with `--emit spirv`")?;
        let is_done = |action| matches!(action, Action::None | Action::Specialize | Action::Table);
        let help = "a program of SPIR-V is given constants and tables: compile with a strategy that asks for `specialize` or `table`";
        check_actions(manifest, is_done, help)?;
        check_hash(artifact, manifest)?;
        let module =
            Spirv::read(artifact).map_err(|reason| LoadError::Malformed { what: "SPIR-V", reason })?;
        check_device(context, &module, manifest)?;
        check_constants(&module, manifest)?;
        let mut tables = empty_tables(manifest)?;
        check_kernels(&module, manifest)?;
        let (words, roots) = resolve(manifest, resolver, |site| site.action != Action::None)?;

        for site in of(manifest, Action::Table) {
            let table = tables.get_mut(site.symbol.as_str()).expect("there is one for each site");
            let (start, bytes) = (site.offset as usize, site.bytes() as usize);
            table[start..start + bytes].copy_from_slice(&words[site.referent].to_le_bytes()[..bytes]);
        }
        let mut program = ClProgram::new(context, artifact)?;
        for site in of(manifest, Action::Specialize) {
            let bytes = words[site.referent].to_le_bytes();
            if !program.specialize(number(site)?, &bytes[..site.bytes() as usize])? {
                return Err(refuse(site, "the driver finds no such specialisation constant".into()));
            }
        }
        program.build()?;
        let kernels = manifest.entries.iter().filter(|entry| module.kernels.contains(*entry));
        let entries: Vec<String> = kernels.cloned().collect();
        for entry in &entries {
            program.make_kernel(entry)?;
        }
        let arguments = hand_tables(&mut program, manifest, tables)?;
        Ok(Self { program, entries, arguments, _roots: roots })
    }

    /// The arguments of a kernel that are set already. Who starts kernels by a library that sets all of them gives it these.
    pub fn arguments(&self, entry: &str) -> Vec<TableArgument> {
        let set = self.arguments.get(entry).into_iter().flatten();
        set.map(|(argument, buffer)| TableArgument { argument: *argument, buffer: *buffer as *mut c_void })
            .collect()
    }
}

impl Image for SpirvProgram<'_> {
    /// The kernels among the functions that the manifest names.
    fn entries(&self) -> &[String] {
        &self.entries
    }

    fn entry(&self, name: &str) -> Result<u64, LoadError> {
        let kernel = self.program.kernel(name).map(|kernel| kernel as u64);
        kernel.ok_or_else(|| LoadError::no_entry(name, &self.entries))
    }
}

fn of(manifest: &Manifest, action: Action) -> impl Iterator<Item = &SiteRecord> {
    manifest.sites.iter().filter(move |site| site.action == action)
}

fn refuse(site: &SiteRecord, reason: String) -> LoadError {
    LoadError::Site { symbol: site.symbol.clone(), offset: site.offset, reason }
}

/// Whether it is code for OpenCL, and this device's.
fn check_device(context: &ClContext<'_>, module: &Spirv, manifest: &Manifest) -> Result<(), LoadError> {
    context.check_spirv()?;
    let bits = context.address_bits()?;
    if module.address_bits == Some(bits) {
        return Ok(());
    }
    let found = quoted(&manifest.target.triple);
    Err(LoadError::Machine { found, here: format!("OpenCL's {}, of {bits} bits", quoted(&context.name())) })
}

/// The number of a site's constant.
fn number(site: &SiteRecord) -> Result<u32, LoadError> {
    let number = site.index.and_then(|index| u32::try_from(index).ok());
    number.ok_or_else(|| refuse(site, "its index is no number of a specialisation constant".into()))
}

fn check_constants(module: &Spirv, manifest: &Manifest) -> Result<(), LoadError> {
    for site in of(manifest, Action::Specialize) {
        let number = number(site)?;
        match module.constants.get(&number) {
            Some(width) if *width == site.width => {}
            Some(_) => {
                let reason = format!("the constant {number} is no integer of {} bits", site.width);
                return Err(refuse(site, reason));
            }
            None => return Err(refuse(site, format!("the module has no specialisation constant {number}"))),
        }
    }
    Ok(())
}

/// The tables by symbol, all zero. One is of use only where a kernel is handed it.
fn empty_tables(manifest: &Manifest) -> Result<BTreeMap<&str, Vec<u8>>, LoadError> {
    let handed = manifest.arguments.iter().map(|argument| argument.table.as_str());
    let mut sizes: BTreeMap<&str, u64> = handed.map(|table| (table, 0)).collect();
    for site in of(manifest, Action::Table) {
        let size = sizes
            .get_mut(site.symbol.as_str())
            .ok_or_else(|| refuse(site, "no kernel takes a table of this name".into()))?;
        *size = site.offset + site.bytes();
        if sizes.values().sum::<u64>() > LARGEST {
            return Err(refuse(site, format!("tables have at most {LARGEST} bytes")));
        }
    }
    Ok(sizes.into_iter().map(|(table, size)| (table, vec![0; size as usize])).collect())
}

/// Whether what is handed a table is a kernel.
fn check_kernels(module: &Spirv, manifest: &Manifest) -> Result<(), LoadError> {
    let is_none = |argument: &&ArgumentRecord| !module.kernels.contains(&argument.entry);
    let Some(ArgumentRecord { entry, table, .. }) = manifest.arguments.iter().find(is_none) else {
        return Ok(());
    };
    let reason = format!("the module has no kernel {} to hand the table to", quoted(entry));
    Err(LoadError::Site { symbol: table.clone(), offset: 0, reason })
}

/// Makes the tables, and hands each kernel those that it takes.
fn hand_tables(
    program: &mut ClProgram<'_>,
    manifest: &Manifest,
    tables: BTreeMap<&str, Vec<u8>>,
) -> Result<BTreeMap<String, Vec<(u32, usize)>>, LoadError> {
    let mut buffers = BTreeMap::new();
    for (table, mut bytes) in tables {
        buffers.insert(table, program.buffer(&mut bytes)?);
    }
    let mut handed: BTreeMap<String, Vec<(u32, usize)>> = BTreeMap::new();
    for ArgumentRecord { entry, argument, table } in &manifest.arguments {
        let place = u32::try_from(*argument).unwrap_or(u32::MAX);
        let buffer = buffers[table.as_str()];
        program.set_argument(entry, place, buffer)?;
        handed.entry(entry.clone()).or_default().push((place, buffer as usize));
    }
    Ok(handed)
}
