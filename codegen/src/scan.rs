//! Looks for what is left of the session anywhere: portable is a finding, not a hope.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use regex::Regex;

use crate::llvm::{Module, chain, name_of};

unsafe extern "C" {
    /// The binding in llvm-sys takes the length by value, which is a mistake.
    #[link_name = "LLVMGetRawDataValues"]
    fn raw_data_values(constant: LLVMValueRef, length: *mut usize) -> *const std::ffi::c_char;
}

/// Constants below this are offsets, handles or flags, not addresses: the first 64 KiB are never mapped.
const SMALL: u64 = 1 << 16;

/// What is left of the session in the module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    /// Where: a function or a global.
    pub place: String,
    /// What.
    pub what: Left,
}

/// A host reference that no rule lifted, as far as one can tell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Left {
    /// A number that the session table knows.
    Address(u64),
    /// A number that is made a pointer, and that the session table does not know.
    Pointer(u64),
    /// A global that holds a value of the session by its name, that the session table does not know, and that nobody
    /// fills in.
    Value(String),
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(f, "{address:#x}, an address of the session"),
            Self::Pointer(address) => write!(f, "{address:#x}, a pointer made from a constant"),
            Self::Value(name) => write!(f, "@{name}, a value that the session table does not know"),
        }
    }
}

/// Every address of the session that is left in code, constants, initialisers and names, every pointer made from a
/// constant that is not small, and every global whose name matches one of `values` and that holds nothing.
pub(crate) fn scan(module: &Module, addresses: &HashSet<u64>, values: &[Regex]) -> Vec<Leak> {
    let mut scanner = Scanner { addresses, values, constants: HashMap::new(), leaks: BTreeSet::new() };
    for global in module.globals() {
        let name = name_of(global);
        scanner.name(&name);
        // SAFETY: the global is alive.
        let initializer = unsafe { LLVMGetInitializer(global) };
        if !initializer.is_null() {
            let place = format!("@{name}");
            scanner.constant(initializer, &place);
        }
    }
    for function in module.functions() {
        let name = name_of(function);
        scanner.name(&name);
        let place = format!("@{name}");
        // SAFETY: the function is alive, and nothing changes it while it is read.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                for instruction in
                    chain(LLVMGetFirstInstruction(block), |value| LLVMGetNextInstruction(value))
                {
                    scanner.instruction(instruction, &place);
                }
                block = LLVMGetNextBasicBlock(block);
            }
        }
    }
    scanner.leaks.into_iter().collect()
}

struct Scanner<'a> {
    addresses: &'a HashSet<u64>,
    values: &'a [Regex],
    /// What was found in a constant, so that one that is shared is looked into once.
    constants: HashMap<LLVMValueRef, Vec<Left>>,
    leaks: BTreeSet<Leak>,
}

impl Scanner<'_> {
    fn instruction(&mut self, instruction: LLVMValueRef, place: &str) {
        // SAFETY: the instruction is alive, and the indices are in range.
        unsafe {
            let from_integer = LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMIntToPtr;
            for index in 0..u32::try_from(LLVMGetNumOperands(instruction)).unwrap_or(0) {
                let operand = LLVMGetOperand(instruction, index);
                if operand.is_null() || LLVMIsAConstant(operand).is_null() {
                    continue;
                }
                self.constant(operand, place);
                if from_integer
                    && let Some(number) = integer(operand)
                    && number >= SMALL
                {
                    let what = self.number(number);
                    self.leak(place, what);
                }
            }
            // The labels of a switch are no operands.
            if LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMSwitch {
                for successor in 1..LLVMGetNumSuccessors(instruction) {
                    self.constant(LLVMGetSwitchCaseValue(instruction, successor), place);
                }
            }
        }
    }

    fn constant(&mut self, constant: LLVMValueRef, place: &str) {
        for what in self.found(constant, 0) {
            self.leak(place, what);
        }
    }

    fn leak(&mut self, place: &str, what: Left) {
        self.leaks.insert(Leak { place: place.to_owned(), what });
    }

    /// A number that is made a pointer.
    fn number(&self, number: u64) -> Left {
        if self.addresses.contains(&number) { Left::Address(number) } else { Left::Pointer(number) }
    }

    /// A global that should hold a value, and holds none.
    ///
    /// # Safety
    /// The constant is alive.
    unsafe fn value(&self, constant: LLVMValueRef) -> Option<Left> {
        // SAFETY: as the caller says; an initialiser is asked of variables only.
        let is_empty = unsafe {
            !LLVMIsAGlobalVariable(constant).is_null() && {
                let contents = LLVMGetInitializer(constant);
                contents.is_null() || LLVMIsNull(contents) != 0
            }
        };
        let name = is_empty.then(|| name_of(constant))?;
        self.values.iter().any(|values| values.is_match(&name)).then_some(Left::Value(name))
    }

    /// What is left in a constant.
    fn found(&mut self, constant: LLVMValueRef, depth: u32) -> Vec<Left> {
        // SAFETY: the constant is alive; each reader is called for the kind it is for.
        unsafe {
            if let Some(number) = integer(constant) {
                return if self.addresses.contains(&number) {
                    vec![Left::Address(number)]
                } else {
                    Vec::new()
                };
            }
            if !LLVMIsAGlobalValue(constant).is_null() {
                return self.value(constant).into_iter().collect();
            }
            if depth > 256 {
                return Vec::new();
            }
            if let Some(found) = self.constants.get(&constant) {
                return found.clone();
            }
            let mut found = Vec::new();
            if !LLVMIsAConstantDataSequential(constant).is_null() {
                let mut length = 0;
                let data = raw_data_values(constant, &raw mut length);
                let bytes = std::slice::from_raw_parts(data.cast::<u8>(), length);
                found.extend(bytes.windows(8).filter_map(|window| {
                    let word = u64::from_le_bytes(window.try_into().ok()?);
                    self.addresses.contains(&word).then_some(Left::Address(word))
                }));
            }
            let from_integer = !LLVMIsAConstantExpr(constant).is_null()
                && LLVMGetConstOpcode(constant) == LLVMOpcode::LLVMIntToPtr;
            for index in 0..u32::try_from(LLVMGetNumOperands(constant)).unwrap_or(0) {
                let operand = LLVMGetOperand(constant, index);
                if operand.is_null() || LLVMIsAConstant(operand).is_null() {
                    continue;
                }
                found.extend(self.found(operand, depth + 1));
                if from_integer && let Some(number) = integer(operand).filter(|number| *number >= SMALL) {
                    found.push(self.number(number));
                }
            }
            self.constants.insert(constant, found.clone());
            found
        }
    }

    /// A name may hold an address too, in hexadecimal or decimal.
    fn name(&mut self, name: &str) {
        for run in
            name.split(|c: char| !c.is_ascii_hexdigit()).filter(|run| run.len() >= 6 && run.len() <= 20)
        {
            let numbers = [u64::from_str_radix(run, 16).ok(), run.parse().ok()];
            for number in numbers.into_iter().flatten().filter(|number| self.addresses.contains(number)) {
                self.leaks
                    .insert(Leak { place: format!("the name of @{name}"), what: Left::Address(number) });
            }
        }
    }
}

/// The value of an integer constant of at most 64 bits.
///
/// # Safety
/// The value is alive.
unsafe fn integer(value: LLVMValueRef) -> Option<u64> {
    // SAFETY: as the caller says; the width is read of an integer's type.
    unsafe {
        (!LLVMIsAConstantInt(value).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64)
            .then(|| LLVMConstIntGetZExtValue(value))
    }
}
