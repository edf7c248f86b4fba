//! What an ELF file says about itself: where its symbols are, and what of it is writable.

use std::collections::HashMap;
use std::ops::Range;

use object::elf::PF_W;
use object::read::elf::{ElfFile64, ProgramHeader as _};
use object::{Architecture, Endianness, Object as _, ObjectKind, ObjectSymbol as _, SymbolKind};

use crate::error::LoadError;

/// A datum's place in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Virtual address.
    address: u64,
    /// Size in bytes.
    size: u64,
}

/// A shared object, as far as a loader has to know it. Addresses are relative to where it is loaded.
#[derive(Debug)]
pub(crate) struct Elf {
    /// The data that sites lie in. A local name may stand for several.
    data: HashMap<String, Vec<Place>>,
    writable: Vec<Range<u64>>,
    relro: Option<Range<u64>>,
    loaded: Range<u64>,
}

impl Elf {
    /// Reads a shared object for this machine; of its symbols, those that are wanted.
    pub(crate) fn read<'a>(bytes: &[u8], wanted: impl Iterator<Item = &'a str>) -> Result<Self, LoadError> {
        let malformed = |reason: String| LoadError::Malformed { reason };
        let file = ElfFile64::<Endianness>::parse(bytes).map_err(|error| malformed(error.to_string()))?;
        if file.kind() != ObjectKind::Dynamic {
            return Err(malformed("it is an ELF file, but not a shared object".into()));
        }
        if !is_native(file.architecture(), file.endian()) {
            let found = format!("{:?}", file.architecture()).to_lowercase();
            return Err(LoadError::Machine { found, here: std::env::consts::ARCH.into() });
        }
        let endian = file.endian();
        let segments = |wanted: object::elf::ProgramType| {
            let headers =
                file.elf_program_headers().iter().filter(move |header| header.p_type(endian) == wanted);
            headers.map(move |header| {
                let start = header.p_vaddr(endian);
                (header.p_flags(endian), start..start.saturating_add(header.p_memsz(endian)))
            })
        };
        let all: Vec<_> = segments(object::elf::PT_LOAD).collect();
        let start = all.iter().map(|(_, range)| range.start).min().unwrap_or_default();
        let end = all.iter().map(|(_, range)| range.end).max().unwrap_or_default();
        let writable =
            all.into_iter().filter(|(flags, _)| flags.0 & PF_W.0 != 0).map(|(_, range)| range).collect();
        let relro = segments(object::elf::PT_GNU_RELRO).map(|(_, range)| range).next();
        let mut elf = Self {
            data: wanted.map(|name| (name.to_owned(), Vec::new())).collect(),
            writable,
            relro,
            loaded: start..end,
        };
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            // Thread-local data has no address, functions are no sites.
            if symbol.is_definition() && symbol.kind() == SymbolKind::Data {
                let places = symbol.name().ok().and_then(|name| elf.data.get_mut(name));
                let place = Place { address: symbol.address(), size: symbol.size() };
                if let Some(places) = places.filter(|places| !places.contains(&place)) {
                    places.push(place);
                }
            }
        }
        Ok(elf)
    }

    /// Where a site is, if its bytes belong to the datum that it names and may be written.
    ///
    /// # Errors
    /// What is wrong.
    pub(crate) fn place(&self, symbol: &str, offset: u64, at: u64, size: u64) -> Result<(), String> {
        let places = self.data.get(symbol).map_or(&[][..], Vec::as_slice);
        if places.is_empty() {
            return Err("the artifact defines no such datum".into());
        }
        let is_inside = |place: &&Place| offset.checked_add(size).is_some_and(|end| end <= place.size);
        let inside: Vec<&Place> = places.iter().filter(is_inside).collect();
        if inside.is_empty() {
            let size = places.iter().map(|place| place.size).max().unwrap_or_default();
            return Err(format!("{symbol:?} has {size} bytes"));
        }
        if !inside.iter().any(|place| place.address.checked_add(offset) == Some(at)) {
            return Err(format!("that is at {:#x}, not at {at:#x}", inside[0].address.wrapping_add(offset)));
        }
        let end = at.saturating_add(size);
        if !self.writable.iter().any(|range| range.start <= at && end <= range.end) {
            return Err("it is not in data that can be written".into());
        }
        Ok(())
    }

    /// Where the word at a datum that sites lie in is.
    pub(crate) fn word(&self, symbol: &str, offset: u64) -> Option<u64> {
        let place = self.data.get(symbol)?.first()?;
        offset.checked_add(8).filter(|end| *end <= place.size)?;
        place.address.checked_add(offset)
    }

    /// The range that the dynamic linker makes read-only once it has relocated it, where it lies in writable data.
    pub(crate) fn relro(&self) -> Option<Range<u64>> {
        let relro = self.relro.clone()?;
        // Linkers pad it to the end of its last page, which has 64 KiB at most.
        let end = |range: &Range<u64>| range.end.checked_next_multiple_of(1 << 16).unwrap_or(range.end);
        self.writable
            .iter()
            .any(|range| range.start <= relro.start && relro.end <= end(range))
            .then_some(relro)
    }

    /// Everything that is loaded.
    pub(crate) fn loaded(&self) -> &Range<u64> {
        &self.loaded
    }
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
