//! What inputs say of each other's globals, compared before anything is merged.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout};

use super::{LinkError, Part, Relocated};
use crate::llvm::{Module, c_string, is_local, take_message};
use crate::sites::LiveSite;

/// The sites of one module lie in their globals, and have no place in a table yet.
pub(super) fn places(part: &Part) -> Result<(), LinkError> {
    for one in &part.sites {
        // SAFETY: the global and its module are alive.
        let size = unsafe {
            let ty = LLVMGlobalGetValueType(one.global);
            if LLVMTypeIsSized(ty) == 0 {
                0
            } else {
                LLVMABISizeOfType(LLVMGetModuleDataLayout(part.module.raw()), ty)
            }
        };
        for site in &one.sites {
            let (symbol, input) = (one.name(), part.name.clone());
            let end = site.offset.checked_add(u64::from(site.width / 8));
            if site.width == 0 || end.is_none_or(|end| end > size) {
                return Err(LinkError::Site { symbol, input, offset: site.offset });
            }
            if site.index.is_some() {
                return Err(LinkError::Planned { symbol, input });
            }
        }
        for pair in one.sites.windows(2) {
            if pair[0].offset + u64::from(pair[0].width / 8) > pair[1].offset {
                return Err(LinkError::Conflict {
                    symbol: one.name(),
                    first: part.name.clone(),
                    one: describe(&pair[..1]),
                    second: part.name.clone(),
                    other: describe(&pair[1..]),
                });
            }
        }
    }
    Ok(())
}

/// All modules are for one machine.
pub(super) fn machines(parts: &[Part]) -> Result<(), LinkError> {
    for what in [Module::triple, Module::data_layout] {
        let mut said: Option<(String, &Part)> = None;
        for part in parts {
            let found = what(&part.module);
            if found.is_empty() {
                continue;
            }
            match &said {
                Some((wanted, first)) if *wanted != found => {
                    return Err(LinkError::Machine {
                        first: first.name.clone(),
                        second: part.name.clone(),
                        wanted: wanted.clone(),
                        found,
                    });
                }
                Some(_) => {}
                None => said = Some((found, part)),
            }
        }
    }
    Ok(())
}

/// What modules share by name has the same sites in all of them, and the same contents. Of several definitions all but
/// the first become declarations, which LLVM's linker would do with weak ones only.
pub(super) fn sites(parts: &[Part]) -> Result<(), LinkError> {
    let shared: BTreeSet<String> = parts
        .iter()
        .flat_map(|part| part.sites.iter().filter(|one| !one.is_local()).map(Relocated::name))
        .collect();
    let mut known: Vec<HashMap<LLVMValueRef, &Relocated>> = Vec::new();
    for part in parts {
        known.push(part.sites.iter().map(|one| (one.global, one)).collect());
    }
    for symbol in shared {
        let mut others: Vec<Seen<'_>> = Vec::new();
        for (part, known) in parts.iter().zip(&known) {
            let Some(value) = part.module.value(&symbol).filter(|value| !is_local(*value)) else { continue };
            let relocated = known.get(&value).copied();
            let sites = relocated.map(|one| one.sites.as_slice()).unwrap_or_default();
            others.push(Seen { part, value, sites, is_slot: relocated.is_some_and(Relocated::is_slot) });
        }
        agree(&symbol, &others)?;
    }
    Ok(())
}

/// A global as one input has it.
struct Seen<'a> {
    part: &'a Part,
    value: LLVMValueRef,
    sites: &'a [LiveSite],
    is_slot: bool,
}

impl Seen<'_> {
    fn is_declaration(&self) -> bool {
        // SAFETY: the value is alive.
        unsafe { LLVMIsDeclaration(self.value) != 0 }
    }

    /// What it starts out with, as text: the constants of two modules are never the same ones.
    fn contents(&self) -> String {
        // SAFETY: the value is a variable with an initialiser; the text is LLVM's to be disposed of.
        unsafe { take_message(LLVMPrintValueToString(LLVMGetInitializer(self.value))) }
    }
}

fn agree(symbol: &str, all: &[Seen<'_>]) -> Result<(), LinkError> {
    let Some(first) = all.iter().find(|seen| !seen.sites.is_empty()) else { return Ok(()) };
    let defined = all.iter().find(|seen| !seen.is_declaration() && !seen.sites.is_empty());
    for seen in all {
        // SAFETY: the value is alive.
        let is_variable = unsafe { !LLVMIsAGlobalVariable(seen.value).is_null() };
        if !seen.sites.is_empty() && seen.sites != first.sites {
            return Err(conflict(symbol, first, seen, describe(seen.sites)));
        }
        if !is_variable {
            return Err(conflict(symbol, first, seen, "no data at all".into()));
        }
        // A plain declaration of what another input defines is how modules refer to each other.
        if seen.sites.is_empty() && !(seen.is_declaration() && defined.is_some()) {
            return Err(LinkError::Missing {
                symbol: symbol.to_owned(),
                first: first.part.name.clone(),
                one: describe(first.sites),
                second: seen.part.name.clone(),
            });
        }
        // SAFETY: both values are alive.
        let spaces = unsafe {
            let space = |value| LLVMGetPointerAddressSpace(LLVMTypeOf(value));
            (space(first.value), space(seen.value))
        };
        if spaces.0 != spaces.1 {
            return Err(conflict(symbol, first, seen, format!("in address space {}", spaces.1)));
        }
    }
    let Some(defined) = defined else {
        return if first.is_slot {
            Ok(())
        } else {
            Err(LinkError::Undefined { symbol: symbol.to_owned(), input: first.part.name.clone() })
        };
    };
    let contents = defined.contents();
    for seen in all {
        if seen.is_declaration() || seen.value == defined.value {
            continue;
        }
        if seen.contents() != contents {
            return Err(LinkError::Contents {
                symbol: symbol.to_owned(),
                first: defined.part.name.clone(),
                second: seen.part.name.clone(),
            });
        }
        // SAFETY: the value is a variable, and alive.
        unsafe {
            LLVMSetInitializer(seen.value, std::ptr::null_mut());
            LLVMSetExternallyInitialized(seen.value, 0);
            LLVMSetComdat(seen.value, std::ptr::null_mut());
            LLVMSetLinkage(seen.value, llvm_sys::LLVMLinkage::LLVMExternalLinkage);
        }
    }
    Ok(())
}

fn conflict(symbol: &str, first: &Seen<'_>, second: &Seen<'_>, other: String) -> LinkError {
    LinkError::Conflict {
        symbol: symbol.to_owned(),
        first: first.part.name.clone(),
        one: describe(first.sites),
        second: second.part.name.clone(),
        other,
    }
}

fn describe(sites: &[LiveSite]) -> String {
    let one = |site: &LiveSite| match site.offset {
        0 => format!("{} ({})", site.referent, site.strategy),
        offset => format!("{} ({}) at byte {offset}", site.referent, site.strategy),
    };
    sites.iter().map(one).collect::<Vec<_>>().join(", ")
}

impl Module {
    /// Whatever has a name: a variable, function, alias or ifunc.
    pub(super) fn value(&self, name: &str) -> Option<LLVMValueRef> {
        let (text, length) = (c_string(name), name.len());
        // SAFETY: the module is alive.
        unsafe {
            [
                LLVMGetNamedGlobal(self.raw(), text.as_ptr()),
                LLVMGetNamedFunction(self.raw(), text.as_ptr()),
                LLVMGetNamedGlobalAlias(self.raw(), text.as_ptr(), length),
                LLVMGetNamedGlobalIFunc(self.raw(), text.as_ptr(), length),
            ]
        }
        .into_iter()
        .find(|value| !value.is_null())
    }
}

/// The slots that have the same meaning, as a key, and the names that they have.
pub(super) fn equal_slots(parts: &[Part]) -> BTreeMap<(LiveSite, u32), BTreeSet<String>> {
    let mut slots: BTreeMap<(LiveSite, u32), BTreeSet<String>> = BTreeMap::new();
    for one in parts.iter().flat_map(|part| &part.sites).filter(|one| !one.is_local() && one.is_slot()) {
        slots.entry(slot_key(one)).or_default().insert(one.name());
    }
    slots
}

/// What makes two slots the same: everything but the name.
pub(super) fn slot_key(one: &Relocated) -> (LiveSite, u32) {
    // SAFETY: the global is alive.
    let space = unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(one.global)) };
    (LiveSite { symbol: String::new(), ..one.sites[0].clone() }, space)
}
