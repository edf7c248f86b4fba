//! Names across modules: one for slots that mean the same, and names of their own for what is local.

use std::collections::{BTreeMap, HashMap};

use llvm_sys::LLVMUnnamedAddr;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

use super::compare::{equal_slots, slot_key};
use super::{Part, Relocated};
use crate::llvm::{is_local, take_message};
use crate::sites::LiveSite;

/// Slots that mean the same get the smallest of their names, in every module.
pub(super) fn share_slots(parts: &mut [Part]) {
    let slots = equal_slots(parts);
    for part in parts {
        let mut kept: Vec<Relocated> = Vec::new();
        let mut by_name: HashMap<String, LLVMValueRef> = HashMap::new();
        let mut all = std::mem::take(&mut part.sites);
        // The slot that has the shared name already comes first, so that the others find it.
        all.sort_by_key(Relocated::name);
        for one in all {
            let names = (!one.is_local() && one.is_slot()).then(|| slots.get(&slot_key(&one))).flatten();
            let Some(shared) = names.and_then(|names| names.first()).cloned() else {
                kept.push(one);
                continue;
            };
            // SAFETY: the globals are alive; one that is replaced is not looked at again.
            unsafe {
                if let Some(same) = by_name.get(&shared) {
                    LLVMReplaceAllUsesWith(one.global, *same);
                    LLVMDeleteGlobal(one.global);
                    continue;
                }
                // What has the name already is the same slot, declared without its site, or is local.
                let there = part.module.value(&shared).filter(|value| *value != one.global);
                if let Some(there) = there.filter(|value| !is_local(*value)) {
                    LLVMReplaceAllUsesWith(one.global, there);
                    LLVMDeleteGlobal(one.global);
                    by_name.insert(shared, there);
                    kept.push(Relocated { global: there, sites: one.sites });
                    continue;
                }
                if let Some(there) = there {
                    rename(there, &format!("{shared}.local"));
                }
                rename(one.global, &shared);
            }
            by_name.insert(shared, one.global);
            kept.push(one);
        }
        part.sites = kept;
    }
}

/// Local globals with sites get names of their own, by which they are found again; gives the old ones.
pub(super) fn keep_locals(parts: &mut [Part]) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for one in parts.iter().flat_map(|part| &part.sites).filter(|one| one.is_local()) {
        let (old, new) = (one.name(), format!("relo.local.{}", names.len()));
        // SAFETY: the global is alive.
        unsafe { rename(one.global, &new) };
        names.insert(new, old);
    }
    names
}

/// Local globals get their names back, with a digest of what they hold: neither the order of the inputs nor what was
/// linked before decides which of several has the name.
pub(super) fn restore_locals(relocated: &mut [Relocated], names: &HashMap<String, String>) {
    let mut wanted: BTreeMap<String, Vec<LLVMValueRef>> = BTreeMap::new();
    for one in &*relocated {
        if let Some(old) = names.get(&one.name()) {
            let suffix = format!(".{}", digest(one));
            let stem = old.split(&suffix).next().unwrap_or_default();
            wanted.entry(format!("{stem}{suffix}")).or_default().push(one.global);
        }
    }
    for (name, globals) in wanted {
        for (number, global) in globals.into_iter().enumerate() {
            let name = if number == 0 { name.clone() } else { format!("{name}.{number}") };
            // SAFETY: the global is alive.
            unsafe { rename(global, &name) };
        }
    }
}

/// Local records whose address nobody compares are one where they are equal.
pub(super) fn merge_equal_records(relocated: &mut Vec<Relocated>) {
    let mut seen: HashMap<(LLVMValueRef, u32, Vec<LiveSite>), LLVMValueRef> = HashMap::new();
    relocated.retain(|one| {
        // SAFETY: the globals are alive; one that is replaced leaves the list.
        unsafe {
            let initializer = LLVMGetInitializer(one.global);
            let no_address = LLVMGetUnnamedAddress(one.global) == LLVMUnnamedAddr::LLVMGlobalUnnamedAddr;
            if !one.is_local() || initializer.is_null() || !no_address {
                return true;
            }
            let nameless = |site: &LiveSite| LiveSite { symbol: String::new(), ..site.clone() };
            let space = LLVMGetPointerAddressSpace(LLVMTypeOf(one.global));
            let same = *seen
                .entry((initializer, space, one.sites.iter().map(nameless).collect()))
                .or_insert(one.global);
            let merge = same != one.global && alike(same, one.global);
            if merge {
                LLVMReplaceAllUsesWith(one.global, same);
                LLVMDeleteGlobal(one.global);
            }
            !merge
        }
    });
}

/// Whether one global can stand for another with the same contents.
///
/// # Safety
/// Both are alive.
unsafe fn alike(left: LLVMValueRef, right: LLVMValueRef) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        LLVMIsGlobalConstant(left) == LLVMIsGlobalConstant(right)
            && LLVMGetAlignment(left) == LLVMGetAlignment(right)
            && LLVMIsThreadLocal(left) == LLVMIsThreadLocal(right)
    }
}

/// What a global holds, as a few characters of a name.
fn digest(one: &Relocated) -> String {
    let mut hasher = blake3::Hasher::new();
    // SAFETY: the global is alive; the text is LLVM's to be disposed of.
    unsafe {
        let initializer = LLVMGetInitializer(one.global);
        if !initializer.is_null() {
            hasher.update(take_message(LLVMPrintValueToString(initializer)).as_bytes());
        }
    }
    for site in &one.sites {
        hasher
            .update(format!("{} {} {} {}", site.offset, site.width, site.referent, site.strategy).as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Gives a global a name.
///
/// # Safety
/// The global is alive, and so is its module.
unsafe fn rename(global: LLVMValueRef, name: &str) {
    // SAFETY: as the caller says; LLVM copies the text.
    unsafe { LLVMSetValueName2(global, name.as_ptr().cast(), name.len()) };
}
