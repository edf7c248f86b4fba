//! What an ELF file says about itself: where its symbols are, and what of it is writable.

use std::collections::BTreeMap;
use std::ops::Range;

use object::elf::PF_W;
use object::read::elf::{ElfFile64, ProgramHeader as _};
use object::{Architecture, Object as _, ObjectKind, ObjectSymbol as _};

/// A symbol's place in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Virtual address.
    pub(crate) address: u64,
    /// Size in bytes.
    pub(crate) size: u64,
}

/// A shared object, as far as a loader has to know it.
pub(crate) struct Elf {
    symbols: BTreeMap<String, Vec<Place>>,
    writable: Vec<Range<u64>>,
    /// Made read-only by the dynamic linker once it has relocated it.
    pub(crate) relro: Option<Range<u64>>,
}

impl Elf {
    /// Reads a shared object for this machine.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let file = ElfFile64::<object::Endianness>::parse(bytes).map_err(|error| error.to_string())?;
        if file.kind() != ObjectKind::Dynamic {
            return Err("object that is not shared".into());
        }
        let host = if cfg!(target_arch = "x86_64") { Architecture::X86_64 } else { Architecture::Aarch64 };
        if file.architecture() != host {
            return Err(format!("{:?} code on this machine", file.architecture()));
        }
        let mut symbols: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()).filter(|symbol| symbol.is_definition()) {
            if let Ok(name) = symbol.name() {
                let place = Place { address: symbol.address(), size: symbol.size() };
                let places = symbols.entry(name.to_owned()).or_default();
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        let endian = file.endian();
        let ranges = |wanted: object::elf::ProgramType| {
            file.elf_program_headers().iter().filter(move |header| header.p_type(endian) == wanted).map(
                move |header| {
                    let start = header.p_vaddr(endian);
                    (header.p_flags(endian), start..start.saturating_add(header.p_memsz(endian)))
                },
            )
        };
        Ok(Self {
            symbols,
            writable: ranges(object::elf::PT_LOAD)
                .filter(|(flags, _)| flags.0 & PF_W.0 != 0)
                .map(|(_, range)| range)
                .collect(),
            relro: ranges(object::elf::PT_GNU_RELRO).map(|(_, range)| range).next(),
        })
    }

    /// Whether bytes of the image belong to a symbol and may be written.
    pub(crate) fn check(&self, symbol: &str, offset: u64, at: u64, size: u64) -> Result<(), String> {
        let places = self.symbols.get(symbol).ok_or("the artifact has no such symbol")?;
        let fits = |place: &Place| {
            place.address.checked_add(offset) == Some(at)
                && offset.checked_add(size).is_some_and(|end| end <= place.size)
        };
        if !places.iter().any(fits) {
            return Err("it lies outside the symbol".into());
        }
        let end = at.checked_add(size).ok_or("it lies outside the image")?;
        if !self.writable.iter().any(|range| range.start <= at && end <= range.end) {
            return Err("it is not in writable data".into());
        }
        Ok(())
    }

    /// Where a symbol is.
    pub(crate) fn place(&self, symbol: &str) -> Option<Place> {
        self.symbols.get(symbol).and_then(|places| places.first()).copied()
    }
}
