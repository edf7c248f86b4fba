//! What a SPIR-V module shows to the outside.

use std::collections::{BTreeMap, BTreeSet};

const HEADER_WORDS: usize = 5;
const OP_SPEC_CONSTANT_TRUE: u32 = 48;
const OP_SPEC_CONSTANT_FALSE: u32 = 49;
const OP_SPEC_CONSTANT: u32 = 50;
const OP_DECORATE: u32 = 71;
const SPEC_ID: u32 = 1;
const LINKAGE_ATTRIBUTES: u32 = 41;

/// What a module shows to the outside.
#[derive(Default)]
pub(crate) struct Shown {
    /// The names that linking knows.
    pub(crate) names: BTreeSet<String>,
    /// Type and default of each constant, by its number.
    pub(crate) constants: BTreeMap<u64, BTreeSet<Vec<u32>>>,
}

impl Shown {
    /// Reads a module; nothing, where it is not one.
    pub(crate) fn new(artifact: &[u8]) -> Self {
        let words: Vec<u32> = artifact
            .chunks_exact(4)
            .map(|bytes| u32::from_le_bytes(bytes.try_into().expect("chunks of four")))
            .collect();
        let mut shown = Self::default();
        let mut numbers: BTreeMap<u32, u64> = BTreeMap::new();
        let mut constants: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
        while let Some(first) = rest.first() {
            let (length, operation) = ((first >> 16) as usize, first & 0xffff);
            let Some(operands) = rest.get(1..length) else { break };
            match (operation, operands) {
                (OP_DECORATE, [target, SPEC_ID, number]) => {
                    numbers.insert(*target, u64::from(*number));
                }
                (OP_DECORATE, [_, LINKAGE_ATTRIBUTES, name @ ..]) => {
                    shown.names.insert(text(name));
                }
                (
                    OP_SPEC_CONSTANT_TRUE | OP_SPEC_CONSTANT_FALSE | OP_SPEC_CONSTANT,
                    [of, result, value @ ..],
                ) => {
                    constants.insert(*result, [&[operation, *of], value].concat());
                }
                _ => {}
            }
            rest = &rest[length..];
        }
        for (result, number) in numbers {
            let constant = constants.remove(&result).unwrap_or_default();
            shown.constants.entry(number).or_default().insert(constant);
        }
        shown
    }
}

/// A text, which ends with a zero byte.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
