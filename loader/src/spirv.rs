//! What a loader has to know of a module of SPIR-V: its specialisation constants and its kernels.

use std::collections::{BTreeMap, BTreeSet};

const MAGIC: u32 = 0x0723_0203;
/// Words before the first instruction.
const HEADER: usize = 5;

const MEMORY_MODEL: u32 = 14;
const ENTRY_POINT: u32 = 15;
const TYPE_INT: u32 = 21;
const SPEC_CONSTANT: u32 = 50;
const DECORATE: u32 = 71;

const PHYSICAL_32: u32 = 1;
const PHYSICAL_64: u32 = 2;
const MODEL_OF_KERNELS: u32 = 2;
const KERNEL: u32 = 6;
const SPEC_ID: u32 = 1;

/// A module, as far as a loader looks into it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Spirv {
    /// The bits of an address, where it is code of kernels.
    pub(crate) address_bits: Option<u32>,
    /// The integers among its specialisation constants: number and width in bits.
    pub(crate) constants: BTreeMap<u32, u32>,
    /// Its kernels.
    pub(crate) kernels: BTreeSet<String>,
}

impl Spirv {
    /// Walks through a module.
    ///
    /// # Errors
    /// Why it is no SPIR-V.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        if !bytes.len().is_multiple_of(4) {
            return Err(format!("it has {} bytes, and SPIR-V is words of four", bytes.len()));
        }
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()))
            .collect();
        if words.first() != Some(&MAGIC) {
            return Err("it does not begin with SPIR-V's magic number".into());
        }
        let mut rest = words.get(HEADER..).ok_or("it ends in its header")?;
        let mut module = Self::default();
        let (mut integers, mut constants) = (BTreeMap::new(), BTreeMap::new());
        let mut numbers = Vec::new();
        while let [first, ..] = rest {
            let (length, operation) = ((first >> 16) as usize, first & 0xffff);
            let place = words.len() - rest.len();
            if length == 0 || length > rest.len() {
                return Err(format!("the instruction at word {place} does not end in it"));
            }
            match (operation, &rest[1..length]) {
                (MEMORY_MODEL, [PHYSICAL_32, MODEL_OF_KERNELS]) => module.address_bits = Some(32),
                (MEMORY_MODEL, [PHYSICAL_64, MODEL_OF_KERNELS]) => module.address_bits = Some(64),
                (ENTRY_POINT, [KERNEL, _, name @ ..]) => drop(module.kernels.insert(text(name))),
                (TYPE_INT, [result, width, _]) => drop(integers.insert(*result, *width)),
                (SPEC_CONSTANT, [kind, result, ..]) => drop(constants.insert(*result, *kind)),
                (DECORATE, [target, SPEC_ID, number]) => numbers.push((*target, *number)),
                _ => {}
            }
            rest = &rest[length..];
        }
        for (target, number) in numbers {
            let width = constants.get(&target).and_then(|kind| integers.get(kind));
            // Several constants may have one number: each use of the word is one.
            module.constants.entry(number).or_insert(width.copied().unwrap_or_default());
        }
        Ok(module)
    }
}

/// A literal: bytes up to a NUL, four a word.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let mut words = vec![MAGIC, 0x0001_0200, 0, 100, 0];
        for instruction in instructions {
            words.push((instruction.len() as u32) << 16 | instruction[0]);
            words.extend(&instruction[1..]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn declarations_are_found() {
        let bytes = module(&[
            &[MEMORY_MODEL, PHYSICAL_64, MODEL_OF_KERNELS],
            &[ENTRY_POINT, KERNEL, 9, u32::from_le_bytes(*b"word"), u32::from_le_bytes(*b"s\0\0\0")],
            &[ENTRY_POINT, 5, 8, u32::from_le_bytes(*b"not\0")],
            &[DECORATE, 3, SPEC_ID, 7],
            &[DECORATE, 4, SPEC_ID, 8],
            &[DECORATE, 5, 2],
            &[TYPE_INT, 1, 64, 0],
            &[22, 2, 32],
            &[SPEC_CONSTANT, 1, 3, 0, 0],
            &[SPEC_CONSTANT, 2, 4, 0],
        ]);
        let module = Spirv::read(&bytes).expect("it is SPIR-V");
        assert_eq!(module.address_bits, Some(64));
        assert_eq!(module.constants, BTreeMap::from([(7, 64), (8, 0)]));
        assert_eq!(module.kernels, BTreeSet::from(["words".to_owned()]));
    }

    #[test]
    fn what_is_none_is_refused() {
        let good = module(&[&[TYPE_INT, 1, 64, 0]]);
        assert_eq!(Spirv::read(&good[..12]), Err("it ends in its header".into()));
        assert!(Spirv::read(&good[..good.len() - 1]).is_err_and(|reason| reason.contains("words of four")));
        assert!(Spirv::read(&good[..good.len() - 4]).is_err_and(|reason| reason.contains("at word 5")));
        assert!(Spirv::read(&good[4..]).is_err_and(|reason| reason.contains("magic")));
        let mut endless = good;
        endless[20..24].copy_from_slice(&TYPE_INT.to_le_bytes());
        assert!(Spirv::read(&endless).is_err_and(|reason| reason.contains("at word 5")));
    }
}
