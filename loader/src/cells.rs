//! Words in memory of their own, which nobody can change once they are there.
#![allow(unsafe_code)]

use std::ffi::c_void;

use crate::error::LoadError;

/// A table has at most as many bytes: 1 GiB. What of it nobody writes takes no memory.
const LARGEST: u64 = 1 << 30;

/// The words that a symbol is the address of.
pub struct Cells {
    memory: *mut c_void,
    bytes: usize,
}

// SAFETY: the memory is read-only, and unmapped by its only owner.
unsafe impl Send for Cells {}
// SAFETY: as above.
unsafe impl Sync for Cells {}

impl Cells {
    /// Words at byte offsets, of 32 or 64 bits: offset, width, word.
    ///
    /// # Errors
    /// When they are none, or their table is too large for memory.
    pub fn new(words: impl Iterator<Item = (u64, u32, u64)> + Clone) -> Result<Self, LoadError> {
        let fail = |reason: String| LoadError::Memory { reason };
        let end =
            words.clone().filter_map(|(offset, width, _)| offset.checked_add(u64::from(width / 8))).max();
        let end = end.filter(|end| *end <= LARGEST);
        let bytes = end.and_then(|end| usize::try_from(end).ok()).filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| fail(format!("a table of words has 1 to {LARGEST} bytes")))?;
        let (read, write) = (libc::PROT_READ, libc::PROT_WRITE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: new memory, which the result owns. Each offset with its width is at most `bytes`.
        unsafe {
            let memory = libc::mmap(std::ptr::null_mut(), bytes, read | write, flags, -1, 0);
            if memory == libc::MAP_FAILED {
                return Err(fail(std::io::Error::last_os_error().to_string()));
            }
            let cells = Self { memory, bytes };
            for (offset, width, word) in words {
                let place = memory.cast::<u8>().add(offset as usize);
                if width == 32 {
                    place.cast::<u32>().write_unaligned(word as u32);
                } else {
                    place.cast::<u64>().write_unaligned(word);
                }
            }
            if libc::mprotect(memory, bytes, read) != 0 {
                return Err(fail(std::io::Error::last_os_error().to_string()));
            }
            Ok(cells)
        }
    }

    /// Where they are.
    pub fn address(&self) -> u64 {
        self.memory as u64
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped by `new`; the code that reads it is unloaded before.
        unsafe { libc::munmap(self.memory, self.bytes) };
    }
}
