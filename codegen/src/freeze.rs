//! After optimisation: which sites are alive, and in what.

use std::collections::{BTreeSet, HashMap};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};
use relo_engine::RuleSet;
use relo_referent::{Action, Referent};

use crate::error::CodegenError;
use crate::llvm::{Module, name_of};
use crate::words::{Reached, asked_for, becomes};

/// A site that the module really has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiveSite {
    pub(crate) symbol: String,
    pub(crate) offset: u64,
    pub(crate) width: u32,
    pub(crate) referent: Referent,
    pub(crate) strategy: String,
    pub(crate) index: Option<u64>,
}

/// Drops the slots and the words of tables that nothing uses any more, and gives the sites that are left, in order.
/// Where a loader knows words by their number, the address of their slot becomes that number.
///
/// # Errors
/// When a site lies outside its global, or the number of a word is not used as one.
pub(crate) fn freeze(module: &Module, rules: &RuleSet) -> Result<Vec<LiveSite>, CodegenError> {
    let mut sites = Vec::new();
    let mut reached: HashMap<LLVMValueRef, Reached> = HashMap::new();
    let mut dead = BTreeSet::new();
    let read = read(module);
    let action = |site: &LiveSite| rules.strategy(&site.strategy).map(|strategy| strategy.action);
    let numbers: BTreeSet<u64> = read
        .iter()
        .filter(|(_, site)| action(site) == Some(Action::Specialize))
        .filter_map(|(_, site)| site.index)
        .collect();
    for (global, site) in &read {
        // SAFETY: the global is alive, and no slot has become its number yet.
        if let Some(number) = unsafe { asked_for(*global, &numbers) } {
            return Err(CodegenError::Number { symbol: site.symbol.clone(), number });
        }
    }
    for (global, site) in read {
        let action = action(&site);
        let misplaced = || CodegenError::Site { symbol: site.symbol.clone(), offset: site.offset };
        // SAFETY: the global is alive until all sites are read; uses by metadata are no uses.
        unsafe {
            let is_made = action == Some(Action::Table) || site.symbol == site.referent.slot_name();
            if LLVMGetFirstUse(global).is_null() && is_made {
                dead.insert(global);
                continue;
            }
            let layout = LLVMGetModuleDataLayout(module.raw());
            let size = LLVMABISizeOfType(layout, LLVMGlobalGetValueType(global));
            if site.offset.checked_add(u64::from(site.width / 8)).is_none_or(|end| end > size) {
                return Err(misplaced());
            }
            match (action, site.index) {
                (Some(Action::Table), _) => {
                    let reached = reached.entry(global).or_insert_with(|| Reached::new(layout, global));
                    if !reached.has(site.offset) {
                        continue;
                    }
                }
                (Some(Action::Specialize), Some(index)) => {
                    if !becomes(global, index) {
                        return Err(misplaced());
                    }
                    dead.insert(global);
                }
                _ => {}
            }
        }
        sites.push(site);
    }
    for global in dead {
        // SAFETY: the global is alive; what still names it are constants that nothing uses.
        unsafe {
            LLVMReplaceAllUsesWith(global, LLVMConstNull(LLVMTypeOf(global)));
            LLVMDeleteGlobal(global);
        }
    }
    sites.sort_unstable();
    sites.dedup();
    Ok(sites)
}

/// The entries of `!reloc.sites` whose global is still there.
fn read(module: &Module) -> Vec<(LLVMValueRef, LiveSite)> {
    // SAFETY: the module is alive; arrays are as long as LLVM says; each part's kind is asked for before it is read.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module.raw(), c"reloc.sites".as_ptr());
        let mut nodes = vec![std::ptr::null_mut(); count as usize];
        LLVMGetNamedMetadataOperands(module.raw(), c"reloc.sites".as_ptr(), nodes.as_mut_ptr());
        nodes.into_iter().filter_map(|node| entry(node)).collect()
    }
}

/// # Safety
/// The node is alive.
unsafe fn entry(node: LLVMValueRef) -> Option<(LLVMValueRef, LiveSite)> {
    // SAFETY: as the caller says.
    unsafe {
        let parts = parts(node);
        let [global, offset, width, referent, strategy, index] = parts.as_slice() else { return None };
        if global.is_null() || LLVMIsAGlobalVariable(*global).is_null() {
            return None;
        }
        let referent = self::parts(*referent);
        let [kind, first, second, addend] = referent.as_slice() else { return None };
        let (first, second, addend) = (string(*first)?, string(*second)?, number(*addend)?);
        let library = Some(second.clone()).filter(|library| !library.is_empty());
        let referent = match string(*kind)?.as_str() {
            "object" => Referent::Object { runtime: first, key: second, addend },
            "symbol" => Referent::Symbol { name: first, library, addend },
            _ => Referent::Word { symbol: first, library, offset: u64::try_from(addend).ok()? },
        };
        let site = LiveSite {
            symbol: name_of(*global),
            offset: u64::try_from(number(*offset)?).ok()?,
            width: u32::try_from(number(*width)?).ok()?,
            referent,
            strategy: string(*strategy)?,
            index: u64::try_from(number(*index)?).ok(),
        };
        Some((*global, site))
    }
}

/// # Safety
/// The node is alive.
unsafe fn parts(node: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: as the caller says; a value that is no node has no parts.
    unsafe {
        if node.is_null() || LLVMIsAMDNode(node).is_null() {
            return Vec::new();
        }
        let mut parts = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, parts.as_mut_ptr());
        parts
    }
}

/// # Safety
/// The value is alive, or null.
unsafe fn string(value: LLVMValueRef) -> Option<String> {
    // SAFETY: as the caller says; the text is as long as LLVM says.
    unsafe {
        if value.is_null() || LLVMIsAMDString(value).is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMGetMDString(value, &raw mut length);
        Some(String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length as usize)).into_owned())
    }
}

/// # Safety
/// The value is alive, or null.
unsafe fn number(value: LLVMValueRef) -> Option<i64> {
    // SAFETY: as the caller says.
    unsafe {
        (!value.is_null() && !LLVMIsAConstantInt(value).is_null()).then(|| LLVMConstIntGetSExtValue(value))
    }
}
