//! An artifact with its words in it, before it is mapped: whatever runs first finds them there.

use std::mem::offset_of;

use object::Endianness;
use object::elf::ProgramHeader64;

use crate::elf::{Layout, Segment};

/// Zeroed data with sites in it are stored from their start to the last site. More than this is absurd: 1 GiB.
const LARGEST_ZEROED: u64 = 1 << 30;

/// A word to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    /// Virtual address, relative to where the artifact is loaded.
    pub(crate) at: u64,
    /// In bits, 32 or 64.
    pub(crate) width: u32,
    /// The word. It fits.
    pub(crate) word: u64,
}

impl Write {
    fn bytes(&self) -> u64 {
        u64::from(self.width / 8)
    }
}

/// Writes words into an artifact's bytes. Each lies in a writable segment.
///
/// # Errors
/// The first write that has no place in the file.
pub(crate) fn fill(artifact: &mut Vec<u8>, layout: &Layout, writes: &[Write]) -> Result<(), Write> {
    let mut segments = layout.writable.clone();
    for segment in &mut segments {
        let inside = |write: &&Write| segment.memory.contains(&write.at);
        if let Some(last) = writes.iter().filter(inside).max_by_key(|write| write.at) {
            store(artifact, segment, last.at - segment.memory.start + last.bytes()).ok_or(*last)?;
        }
    }
    let mut here = segments.first();
    for write in writes {
        if !here.is_some_and(|segment| segment.memory.contains(&write.at)) {
            here = segments.iter().find(|segment| segment.memory.contains(&write.at));
        }
        let place = here.and_then(|segment| {
            let start = usize::try_from(segment.file.start + (write.at - segment.memory.start)).ok()?;
            artifact.get_mut(start..start + write.bytes() as usize)
        });
        match (place, write.width) {
            (Some(place), 32) => place.copy_from_slice(&(write.word as u32).to_ne_bytes()),
            (Some(place), _) => place.copy_from_slice(&write.word.to_ne_bytes()),
            (None, _) => return Err(*write),
        }
    }
    Ok(())
}

/// Makes the file hold a segment's first bytes. Where these are zeroed data, the segment moves to the file's end.
fn store(artifact: &mut Vec<u8>, segment: &mut Segment, length: u64) -> Option<()> {
    if length <= segment.file.end - segment.file.start {
        return Some(());
    }
    let alignment = segment.alignment.max(1);
    let known = usize::try_from(segment.file.start).ok()?..usize::try_from(segment.file.end).ok()?;
    if length > LARGEST_ZEROED || !alignment.is_power_of_two() || alignment > LARGEST_ZEROED {
        return None;
    }
    let data = artifact.get(known)?.to_vec();
    let end = artifact.len() as u64;
    let start = end + (segment.memory.start.wrapping_sub(end) & (alignment - 1));
    artifact.resize(usize::try_from(start).ok()?, 0);
    artifact.extend_from_slice(&data);
    artifact.resize(usize::try_from(start + length).ok()?, 0);
    segment.file = start..start + length;
    let mut set = |field: usize, value: u64| -> Option<()> {
        let place = usize::try_from(segment.header).ok()? + field;
        artifact.get_mut(place..place + 8)?.copy_from_slice(&value.to_ne_bytes());
        Some(())
    };
    set(offset_of!(ProgramHeader64<Endianness>, p_offset), start)?;
    set(offset_of!(ProgramHeader64<Endianness>, p_filesz), length)
}
