//! What an ELF file says about itself: where its symbols are, and what of it is writable.

use std::collections::HashMap;
use std::ops::Range;

use object::elf::{PF_W, STT_OBJECT};
use object::read::StringTable;
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _, Sym as _};
use object::{Architecture, Endianness, Object as _, ObjectKind};

use crate::define::{Undefined, undefined};
use crate::error::{LoadError, quoted};
use crate::manifest::SiteRecord;

/// A shared object, as far as a loader has to know it. Addresses are relative to where it is loaded.
pub(crate) struct Elf<'data> {
    file: ElfFile64<'data, Endianness>,
    layout: Layout,
}

/// Where a shared object's parts are.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Everything that is loaded, relative to where.
    pub(crate) loaded: Range<u64>,
    /// What of it can be written.
    pub(crate) writable: Vec<Segment>,
}

/// A writable segment.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Where it is loaded, relative to everything.
    pub(crate) memory: Range<u64>,
    /// What of the file it starts with; the rest is zero.
    pub(crate) file: Range<u64>,
    /// Where the file has its header.
    pub(crate) header: u64,
    /// A power of two; addresses in memory and in the file agree in what is left of a division by it.
    pub(crate) alignment: u64,
}

/// A datum of the artifact.
struct Datum<'data> {
    strings: StringTable<'data>,
    /// Where its name is among them: most names nobody asks for.
    name: u32,
    address: u64,
    /// In bytes.
    size: u64,
}

impl Datum<'_> {
    fn is(&self, name: &str) -> bool {
        self.strings.get(self.name) == Ok(name.as_bytes())
    }
}

impl<'data> Elf<'data> {
    /// Reads a shared object for this machine.
    pub(crate) fn read(bytes: &'data [u8]) -> Result<Self, LoadError> {
        let malformed = |reason: String| LoadError::Malformed { what: "shared object", reason };
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|error| malformed(error.to_string()))?;
        if file.kind() != ObjectKind::Dynamic {
            return Err(malformed("it is an ELF file, but not a shared object".into()));
        }
        if !is_native(file.architecture(), file.endian()) {
            let found = format!("{:?}", file.architecture()).to_lowercase();
            return Err(LoadError::Machine { found, here: std::env::consts::ARCH.into() });
        }
        let layout = layout(&file);
        Ok(Self { file, layout })
    }

    /// The symbols that it leaves to be defined.
    pub(crate) fn undefined(&self) -> HashMap<&'data [u8], Undefined> {
        undefined(&self.file)
    }

    /// Where its parts are.
    pub(crate) fn into_layout(self) -> Layout {
        self.layout
    }

    /// The data of its symbol table, or of the one for the dynamic linker, which has what is exported. Thread-local
    /// data has no address, functions are no data.
    fn data(&self, exported: bool) -> impl Iterator<Item = Datum<'data>> {
        let table =
            if exported { self.file.elf_dynamic_symbol_table() } else { self.file.elf_symbol_table() };
        let (endian, strings) = (self.file.endian(), table.strings());
        table
            .iter()
            .filter(|symbol| symbol.st_type() == STT_OBJECT)
            .filter(move |symbol| !symbol.is_undefined(endian) && !symbol.is_common(endian))
            .map(move |symbol| Datum {
                strings,
                name: symbol.st_name(endian),
                address: symbol.st_value(endian),
                size: symbol.st_size(endian),
            })
    }

    /// Checks that each site lies in the datum that it names, and may be written.
    ///
    /// # Errors
    /// What is wrong with the first that does not.
    pub(crate) fn check(&self, sites: &[&SiteRecord]) -> Result<(), LoadError> {
        // By where their data have to be: of a million names each one looked up is a cache miss or two.
        let mut claims = Vec::with_capacity(sites.len());
        for site in sites {
            match site.at.and_then(|at| at.checked_sub(site.offset)) {
                Some(start) => claims.push((start, *site)),
                None => return Err(self.refuse(site)),
            }
        }
        claims.sort_by_key(|(start, _)| *start);
        // A stripped artifact still has what it exports.
        for exported in [false, true] {
            if !claims.is_empty() {
                claims = self.unsettled(claims, self.data(exported).collect());
            }
        }
        match claims.first() {
            Some((_, site)) => Err(self.refuse(site)),
            None => Ok(()),
        }
    }

    /// The claims that none of the data settles. Claims are in order.
    fn unsettled<'s>(
        &self,
        claims: Vec<(u64, &'s SiteRecord)>,
        mut data: Vec<Datum>,
    ) -> Vec<(u64, &'s SiteRecord)> {
        data.sort_by_key(|datum| datum.address);
        let mut rest = data.as_slice();
        let mut unsettled = Vec::new();
        for (start, site) in claims {
            let before = rest.iter().take_while(|datum| datum.address < start).count();
            rest = &rest[before..];
            let mut here = rest.iter().take_while(|datum| datum.address == start);
            if !here.any(|datum| datum.is(&site.symbol) && self.has_room(datum, site)) {
                unsettled.push((start, site));
            }
        }
        unsettled
    }

    fn has_room(&self, datum: &Datum<'_>, site: &SiteRecord) -> bool {
        site.end().is_some_and(|end| end <= datum.size) && self.is_writable(site)
    }

    fn is_writable(&self, site: &SiteRecord) -> bool {
        let Some((at, end)) = site.at.and_then(|at| Some((at, at.checked_add(site.bytes())?))) else {
            return false;
        };
        self.layout.writable.iter().any(|Segment { memory, .. }| memory.start <= at && end <= memory.end)
    }

    /// Why a site is refused.
    fn refuse(&self, site: &SiteRecord) -> LoadError {
        let all = self.data(false).chain(self.data(true));
        let places: Vec<Datum> = all.filter(|datum| datum.is(&site.symbol)).collect();
        let largest = places.iter().max_by_key(|datum| datum.size);
        let reason = match (site.at, largest) {
            (None, _) => "the manifest does not say where".to_owned(),
            (_, None) => "the artifact defines no such datum".to_owned(),
            (_, Some(datum)) if site.end().is_none_or(|end| end > datum.size) => {
                format!("{} has {} bytes", quoted(&site.symbol), datum.size)
            }
            (Some(at), Some(datum))
                if !places.iter().any(|datum| datum.address.checked_add(site.offset) == Some(at)) =>
            {
                format!("that is at {:#x}, not at {at:#x}", datum.address.wrapping_add(site.offset))
            }
            _ => "it is not in data that can be written".to_owned(),
        };
        LoadError::Site { symbol: site.symbol.clone(), offset: site.offset, reason }
    }
}

/// Where the parts are.
fn layout(file: &ElfFile64<'_, Endianness>) -> Layout {
    let endian = file.endian();
    let first = file.elf_header().e_phoff(endian);
    let size = u64::from(file.elf_header().e_phentsize(endian));
    let mut loaded: Option<Range<u64>> = None;
    let mut writable = Vec::new();
    for (index, header) in (0..).zip(file.elf_program_headers()) {
        if header.p_type(endian) != object::elf::PT_LOAD {
            continue;
        }
        let (start, offset) = (header.p_vaddr(endian), header.p_offset(endian));
        let memory = start..start.saturating_add(header.p_memsz(endian));
        let all = loaded.unwrap_or(memory.clone());
        loaded = Some(all.start.min(memory.start)..all.end.max(memory.end));
        if header.p_flags(endian).0 & PF_W.0 != 0 {
            writable.push(Segment {
                memory,
                file: offset..offset.saturating_add(header.p_filesz(endian)),
                header: first + index * size,
                alignment: header.p_align(endian),
            });
        }
    }
    Layout { loaded: loaded.unwrap_or_default(), writable }
}

fn is_native(architecture: Architecture, endian: Endianness) -> bool {
    let native = match std::env::consts::ARCH {
        "x86_64" => Architecture::X86_64,
        "aarch64" => Architecture::Aarch64,
        "riscv64" => Architecture::Riscv64,
        "loongarch64" => Architecture::LoongArch64,
        "powerpc64" => Architecture::PowerPc64,
        "s390x" => Architecture::S390x,
        _ => return false,
    };
    architecture == native && (endian == Endianness::Big) == cfg!(target_endian = "big")
}
