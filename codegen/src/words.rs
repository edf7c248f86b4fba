//! What code does with the address of a global whose words a loader hands over.

use std::collections::{BTreeSet, HashSet};

use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMTargetDataRef};

/// The bytes of a global that code reads, each load from its first byte to behind its last; `None` where it may read
/// anywhere.
pub(crate) struct Reached(Option<BTreeSet<(i64, i64)>>);

impl Reached {
    /// Follows the global's address to every load.
    ///
    /// # Safety
    /// Layout and global are alive.
    pub(crate) unsafe fn new(layout: LLVMTargetDataRef, global: LLVMValueRef) -> Self {
        let mut search = Search { layout, reads: BTreeSet::new(), seen: HashSet::new() };
        // SAFETY: as the caller says.
        let all = unsafe { search.uses(global, 0) };
        Self(all.then_some(search.reads))
    }

    /// Whether code may read a word of so many bytes at an offset. One load may read several: LLVM makes vectors of
    /// words that lie side by side.
    pub(crate) fn has(&self, offset: u64, bytes: u64) -> bool {
        let word = i64::try_from(offset).ok().zip(i64::try_from(offset.saturating_add(bytes)).ok());
        self.0.as_ref().is_none_or(|reads| {
            word.is_some_and(|(start, end)| {
                reads.iter().any(|(first, behind)| *first < end && start < *behind)
            })
        })
    }
}

struct Search {
    layout: LLVMTargetDataRef,
    reads: BTreeSet<(i64, i64)>,
    seen: HashSet<(LLVMValueRef, i64)>,
}

impl Search {
    /// Whether all uses of an address are known to read at known offsets.
    ///
    /// # Safety
    /// The address is alive.
    unsafe fn uses(&mut self, address: LLVMValueRef, offset: i64) -> bool {
        if !self.seen.insert((address, offset)) {
            return true;
        }
        // SAFETY: as the caller says: a use lives as long as both its ends.
        unsafe {
            let mut next = LLVMGetFirstUse(address);
            while !next.is_null() {
                let user = LLVMGetUser(next);
                let known = match opcode(user) {
                    Some(LLVMOpcode::LLVMLoad) => {
                        let size = LLVMABISizeOfType(self.layout, LLVMTypeOf(user));
                        self.reads.insert((offset, offset.wrapping_add(size.cast_signed())));
                        true
                    }
                    Some(LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect) => {
                        self.uses(user, offset)
                    }
                    Some(LLVMOpcode::LLVMGetElementPtr) => match self.step(user) {
                        Some(step) => self.uses(user, offset.wrapping_add(step)),
                        None => false,
                    },
                    _ => false,
                };
                if !known {
                    return false;
                }
                next = LLVMGetNextUse(next);
            }
        }
        true
    }

    /// The bytes that a GEP of one constant index adds.
    ///
    /// # Safety
    /// The GEP is alive.
    unsafe fn step(&self, gep: LLVMValueRef) -> Option<i64> {
        // SAFETY: as the caller says; a GEP of two operands has a base and an index.
        unsafe {
            if LLVMGetNumOperands(gep) != 2 {
                return None;
            }
            let index = LLVMGetOperand(gep, 1);
            let size = LLVMABISizeOfType(self.layout, LLVMGetGEPSourceElementType(gep));
            (!LLVMIsAConstantInt(index).is_null())
                .then(|| LLVMConstIntGetSExtValue(index).wrapping_mul(size.cast_signed()))
        }
    }
}

/// Replaces a global's address, as a number that calls are given, by a number of its own; `false` where it is used as
/// anything else.
///
/// # Safety
/// The global is alive.
pub(crate) unsafe fn becomes(global: LLVMValueRef, number: u64) -> bool {
    // SAFETY: as the caller says; each user is alive until its own turn.
    unsafe {
        for cast in users(global) {
            let is_given = users(cast).into_iter().all(|user| is_call(user));
            if opcode(cast) != Some(LLVMOpcode::LLVMPtrToInt) || !is_given {
                return false;
            }
            LLVMReplaceAllUsesWith(cast, LLVMConstInt(LLVMTypeOf(cast), number, 0));
            if !LLVMIsAInstruction(cast).is_null() {
                LLVMInstructionEraseFromParent(cast);
            }
        }
        true
    }
}

/// The number among these under which code asks for a constant of its own, where a slot's address as a number asks for
/// the slot's.
///
/// # Safety
/// The slot is alive.
pub(crate) unsafe fn asked_for(slot: LLVMValueRef, numbers: &BTreeSet<u64>) -> Option<u64> {
    // SAFETY: as the caller says: a use lives as long as both its ends; a call has its callee and an operand for each
    // argument.
    unsafe {
        let calls = users(slot).into_iter().flat_map(|cast| users(cast)).filter(|call| is_call(*call));
        let asking = calls.map(|call| LLVMGetCalledValue(call)).collect::<HashSet<_>>();
        let others = asking.into_iter().flat_map(|callee| users(callee)).filter(|call| is_call(*call));
        others
            .filter(|call| LLVMGetNumArgOperands(*call) > 0)
            .map(|call| LLVMGetOperand(call, 0))
            .filter(|number| !LLVMIsAConstantInt(*number).is_null())
            .map(|number| LLVMConstIntGetZExtValue(number))
            .find(|number| numbers.contains(number))
    }
}

/// # Safety
/// The value is alive.
unsafe fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: as the caller says.
    unsafe {
        let mut users = Vec::new();
        let mut next = LLVMGetFirstUse(value);
        while !next.is_null() {
            users.push(LLVMGetUser(next));
            next = LLVMGetNextUse(next);
        }
        users
    }
}

/// # Safety
/// The value is alive.
unsafe fn is_call(value: LLVMValueRef) -> bool {
    // SAFETY: as the caller says.
    unsafe { !LLVMIsACallInst(value).is_null() }
}

/// What an instruction or constant expression does.
///
/// # Safety
/// The value is alive.
unsafe fn opcode(value: LLVMValueRef) -> Option<LLVMOpcode> {
    // SAFETY: as the caller says; each reader is called for the kind it is for.
    unsafe {
        if !LLVMIsAInstruction(value).is_null() {
            Some(LLVMGetInstructionOpcode(value))
        } else if !LLVMIsAConstantExpr(value).is_null() {
            Some(LLVMGetConstOpcode(value))
        } else {
            None
        }
    }
}
