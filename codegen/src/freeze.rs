//! After optimisation: which sites are alive, and in what.

use std::collections::{BTreeSet, HashMap};

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};
use relo_engine::RuleSet;
use relo_referent::Action;

use crate::error::CodegenError;
use crate::llvm::Module;
use crate::sites::{LiveSite, read};
use crate::words::{Reached, asked_for, becomes};

unsafe extern "C" {
    fn reloForgetUnusedConstants(global: LLVMValueRef);
}

/// Drops the slots and the words of tables that nothing uses any more, and gives the sites that are left, in order.
/// Where a loader knows words by their number, the address of their slot becomes that number.
///
/// # Errors
/// When a site is malformed or lies outside its global, or the number of a word is not used as one.
pub(crate) fn freeze(module: &Module, rules: &RuleSet) -> Result<Vec<LiveSite>, CodegenError> {
    let mut sites = Vec::new();
    let mut reached: HashMap<LLVMValueRef, Reached> = HashMap::new();
    let mut dead = BTreeSet::new();
    let read = read(module)?;
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
    let globals: BTreeSet<LLVMValueRef> = read.iter().map(|(global, _)| *global).collect();
    for global in globals {
        // SAFETY: the global is alive.
        unsafe { reloForgetUnusedConstants(global) };
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
                    if !reached.has(site.offset, u64::from(site.width / 8)) {
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
