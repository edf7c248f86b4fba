//! `!reloc.sites`: what a module says of its words to relocate, read and written.

use std::collections::HashSet;
use std::ffi::c_char;

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use relo_referent::Referent;

use crate::error::CodegenError;
use crate::llvm::{Module, name_of};

unsafe extern "C" {
    fn reloPlace(module: LLVMModuleRef, value: LLVMValueRef, offset: *mut i64) -> LLVMValueRef;
    fn reloDropMetadata(module: LLVMModuleRef, name: *const c_char);
}

/// A site that the module really has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LiveSite {
    pub(crate) symbol: String,
    pub(crate) offset: u64,
    pub(crate) width: u32,
    pub(crate) referent: Referent,
    pub(crate) strategy: String,
    pub(crate) index: Option<u64>,
}

/// The entries of `!reloc.sites` whose global is still there. Entries that say the same, as linkers leave them, are one.
///
/// # Errors
/// When an entry is malformed.
pub(crate) fn read(module: &Module) -> Result<Vec<(LLVMValueRef, LiveSite)>, CodegenError> {
    let mut sites = Vec::new();
    // SAFETY: the module is alive; arrays are as long as LLVM says; each part's kind is asked for before it is read.
    unsafe {
        let count = LLVMGetNamedMetadataNumOperands(module.raw(), c"reloc.sites".as_ptr());
        let mut nodes = vec![std::ptr::null_mut(); count as usize];
        LLVMGetNamedMetadataOperands(module.raw(), c"reloc.sites".as_ptr(), nodes.as_mut_ptr());
        for (entry, node) in nodes.into_iter().enumerate() {
            let parts = parts(node);
            if parts.len() == 6 && parts[0].is_null() {
                continue; // the global is gone, and the site with it
            }
            sites.push(site(module, &parts).ok_or(CodegenError::Entries { entry })?);
        }
    }
    let mut seen = HashSet::new();
    sites.retain(|site| seen.insert(site.clone()));
    Ok(sites)
}

/// Replaces what a module says of its sites.
pub(crate) fn write<'a>(module: &Module, sites: impl IntoIterator<Item = (LLVMValueRef, &'a LiveSite)>) {
    let context = module.context().raw();
    // SAFETY: module and globals are alive; LLVM copies the texts and arrays.
    unsafe {
        reloDropMetadata(module.raw(), c"reloc.sites".as_ptr());
        let word = LLVMInt64TypeInContext(context);
        let text = |text: &str| LLVMMDStringInContext2(context, text.as_ptr().cast(), text.len());
        let number =
            |number: i64| LLVMValueAsMetadata(LLVMConstInt(word, number.cast_unsigned(), true.into()));
        let node =
            |parts: &mut [LLVMMetadataRef]| LLVMMDNodeInContext2(context, parts.as_mut_ptr(), parts.len());
        for (global, site) in sites {
            let library = |library: &Option<String>| text(library.as_deref().unwrap_or_default());
            let mut referent = match &site.referent {
                Referent::Object { runtime, key, addend } => {
                    [text("object"), text(runtime), text(key), number(*addend)]
                }
                Referent::Symbol { name, library: place, addend } => {
                    [text("symbol"), text(name), library(place), number(*addend)]
                }
                Referent::Word { symbol, library: place, offset } => {
                    [text("word"), text(symbol), library(place), number(offset.cast_signed())]
                }
            };
            let mut parts = [
                LLVMValueAsMetadata(global),
                number(site.offset.cast_signed()),
                number(site.width.into()),
                node(&mut referent),
                text(&site.strategy),
                number(site.index.map_or(-1, u64::cast_signed)),
            ];
            let entry = LLVMMetadataAsValue(context, node(&mut parts));
            LLVMAddNamedMetadataOperand(module.raw(), c"reloc.sites".as_ptr(), entry);
        }
    }
}

/// # Safety
/// The parts are alive.
unsafe fn site(module: &Module, parts: &[LLVMValueRef]) -> Option<(LLVMValueRef, LiveSite)> {
    // SAFETY: as the caller says.
    unsafe {
        let [place, offset, width, referent, strategy, index] = parts else { return None };
        let mut inside = 0;
        let global = reloPlace(module.raw(), *place, &raw mut inside);
        if global.is_null() {
            return None;
        }
        let referent = self::parts(*referent);
        let [kind, first, second, addend] = referent.as_slice() else { return None };
        let (first, second, addend) = (string(*first)?, string(*second)?, number(*addend)?);
        let library = Some(second.clone()).filter(|library| !library.is_empty());
        let referent = match string(*kind)?.as_str() {
            "object" => Referent::Object { runtime: first, key: second, addend },
            "symbol" => Referent::Symbol { name: first, library, addend },
            "word" => Referent::Word { symbol: first, library, offset: u64::try_from(addend).ok()? },
            _ => return None,
        };
        let site = LiveSite {
            symbol: name_of(global),
            offset: u64::try_from(number(*offset)?.checked_add(inside)?).ok()?,
            width: u32::try_from(number(*width)?).ok()?,
            referent,
            strategy: string(*strategy)?,
            index: u64::try_from(number(*index)?).ok(),
        };
        Some((global, site))
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
