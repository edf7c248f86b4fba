//! Relocatable objects: where sites are, and their words in the file, before it is linked. So an object's own initialised data
//! is right from the start, and a site need not be something that a linker finds by name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use object::elf::SHF_WRITE;
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{
    Endianness, Object as _, ObjectKind, ObjectSection as _, ObjectSymbol as _, RelocationFlags,
    SymbolSection,
};
use relo_loader::{LoadError, SiteRecord, quoted};

/// Sections with data that only a loader writes.
const SEALED: &str = ".data.rel.ro";
/// Sections with functions to call before all others.
const INITIALISERS: [&str; 3] = [".init_array", ".ctors", ".preinit_array"];

/// An object with what is known of its symbols.
pub(crate) struct Object {
    bytes: Vec<u8>,
    /// The bytes of each datum in the file; none where they are not in it, or several data have the name.
    data: BTreeMap<String, Option<Range<usize>>>,
    undefined: BTreeSet<String>,
    /// Where the linker writes itself: each a byte of the file and how many it may be.
    relocated: BTreeMap<usize, usize>,
    /// The flags of sections that nobody is to write when they are linked, by place in the file.
    sealed: Vec<usize>,
}

impl Object {
    /// Reads an object for this machine.
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, LoadError> {
        let malformed = |reason: String| LoadError::Malformed { what: "object", reason };
        let file = ElfFile64::<Endianness>::parse(&*bytes).map_err(|error| malformed(error.to_string()))?;
        if file.kind() != ObjectKind::Relocatable {
            return Err(malformed("it is an ELF file, but not an object to link".into()));
        }
        let machine = format!("{:?}", file.architecture()).to_lowercase();
        if machine != std::env::consts::ARCH || file.is_little_endian() != cfg!(target_endian = "little") {
            return Err(LoadError::Machine { found: machine, here: std::env::consts::ARCH.into() });
        }
        let (mut data, mut undefined) = (BTreeMap::new(), BTreeSet::new());
        for symbol in file.symbols() {
            let name = symbol.name().unwrap_or_default().to_owned();
            if symbol.is_undefined() {
                undefined.insert(name);
                continue;
            }
            let SymbolSection::Section(index) = symbol.section() else { continue };
            let section = file.section_by_index(index).ok().and_then(|section| section.file_range());
            let range = section.and_then(|(start, size)| {
                let end = symbol.address().checked_add(symbol.size()).filter(|end| *end <= size)?;
                let (from, to) = (start.checked_add(symbol.address())?, start.checked_add(end)?);
                (to <= bytes.len() as u64).then_some(from as usize..to as usize)
            });
            data.entry(name).and_modify(|known| *known = None).or_insert(range);
        }
        let (mut relocated, mut sealed) = (BTreeMap::new(), Vec::new());
        let header = file.elf_header();
        let (table, entry) = (header.e_shoff(file.endian()), u64::from(header.e_shentsize(file.endian())));
        for section in file.sections() {
            let name = section.name().unwrap_or_default();
            if INITIALISERS.iter().any(|known| name.starts_with(known)) {
                let reason = "it has functions to run before all others, and nobody would run them".into();
                return Err(LoadError::Link { reason });
            }
            if name.starts_with(SEALED) {
                // The flags are the third field, after two of four bytes.
                sealed.push((table + entry * section.index().0 as u64 + 8) as usize);
            }
            let Some((start, _)) = section.file_range() else { continue };
            for (offset, relocation) in section.relocations() {
                // One that says nothing of its size may be as large as a word.
                let bits = if relocation.size() == 0 { 64 } else { relocation.size() };
                debug_assert!(matches!(relocation.flags(), RelocationFlags::Elf { .. }));
                relocated.insert(start.saturating_add(offset) as usize, usize::from(bits / 8));
            }
        }
        Ok(Self { data, undefined, relocated, sealed, bytes })
    }

    /// Whether the object leaves a symbol to be found.
    pub(crate) fn leaves(&self, symbol: &str) -> bool {
        self.undefined.contains(symbol)
    }

    /// Where a site's word is in the file.
    pub(crate) fn place(&self, site: &SiteRecord) -> Result<Range<usize>, LoadError> {
        let refuse =
            |reason: String| LoadError::Site { symbol: site.symbol.clone(), offset: site.offset, reason };
        let datum = match self.data.get(&site.symbol) {
            None => return Err(refuse("the object has no such symbol".into())),
            Some(None) => {
                return Err(refuse("the object has no bytes for it, or several of the name".into()));
            }
            Some(Some(datum)) => datum,
        };
        if site.end().is_none_or(|end| end > datum.len() as u64) {
            return Err(refuse(format!("{} has {} bytes", quoted(&site.symbol), datum.len())));
        }
        let start = datum.start + site.offset as usize;
        let place = start..start + site.bytes() as usize;
        // A relocation is at most as large as a word.
        let mut near = self.relocated.range(start.saturating_sub(7)..place.end);
        if near.any(|(at, size)| at + size > start) {
            return Err(refuse("the object's own relocations change it".into()));
        }
        Ok(place)
    }

    /// Writes a word at a site's place.
    pub(crate) fn write(&mut self, place: Range<usize>, site: &SiteRecord, word: u64) {
        // The linker's byte order is the processor's.
        if site.width == 32 {
            self.bytes[place].copy_from_slice(&(word as u32).to_ne_bytes());
        } else {
            self.bytes[place].copy_from_slice(&word.to_ne_bytes());
        }
    }

    /// The object to link: what only a loader writes is read-only then.
    pub(crate) fn seal(mut self) -> Vec<u8> {
        for flags in &self.sealed {
            let Some(bytes) = self.bytes.get_mut(*flags..flags + 8) else { continue };
            let value = u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
            bytes.copy_from_slice(&(value & !SHF_WRITE.0).to_ne_bytes());
        }
        self.bytes
    }
}
