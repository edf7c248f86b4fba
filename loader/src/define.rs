//! Symbols that an artifact leaves to be defined, defined in its bytes before it is mapped.
//!
//! A word that is linked in lies in a cell outside the artifact. The dynamic linker would look for its symbol in the
//! whole process, where another image may have one of the same name; so the reference becomes a local, absolute symbol,
//! which it takes as it stands.

use std::collections::HashMap;
use std::mem::offset_of;

use object::Endianness;
use object::elf::{SHN_ABS, STB_LOCAL, STT_OBJECT, Sym64};
use object::read::elf::Sym as _;
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};

/// Where the dynamic symbol table has a symbol without a definition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Undefined {
    /// Of its entry, in the file.
    offset: usize,
}

/// The symbols without a definition, by name.
pub(crate) fn undefined<'data>(file: &ElfFile64<'data, Endianness>) -> HashMap<&'data [u8], Undefined> {
    let endian = file.endian();
    let mut found = HashMap::new();
    let symbols = file.elf_dynamic_symbol_table();
    let Ok(sections) = file.elf_header().sections(endian, file.data()) else { return found };
    let Ok(section) = sections.section(symbols.section()) else { return found };
    let start = section.sh_offset(endian);
    for (index, symbol) in symbols.enumerate() {
        let place = start.checked_add((index.0 * size_of::<Sym64<Endianness>>()) as u64);
        let offset = place.and_then(|place| usize::try_from(place).ok());
        let name = symbols.symbol_name(endian, symbol);
        if let (true, Some(offset), Ok(name)) = (symbol.is_undefined(endian), offset, name)
            && !name.is_empty()
        {
            found.insert(name, Undefined { offset });
        }
    }
    found
}

impl Undefined {
    /// Defines the symbol as an address. Its entry was read from these bytes.
    pub(crate) fn define(self, artifact: &mut [u8], address: u64) {
        type Entry = Sym64<Endianness>;
        let entry = &mut artifact[self.offset..self.offset + size_of::<Entry>()];
        entry[offset_of!(Entry, st_info)] = STB_LOCAL.0 << 4 | STT_OBJECT.0;
        let section = offset_of!(Entry, st_shndx);
        entry[section..section + 2].copy_from_slice(&SHN_ABS.0.to_ne_bytes());
        let value = offset_of!(Entry, st_value);
        entry[value..value + 8].copy_from_slice(&address.to_ne_bytes());
    }
}
