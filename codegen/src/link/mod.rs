//! Linking: LLVM's linker does linkage, relo the relocations.
//!
//! Everything is compared before anything is merged ([`compare`]), so that a refusal names the inputs and an agreement is
//! LLVM's to carry out. Slots that mean the same get one name ([`names`]). The sites travel beside the modules, by name,
//! and are written down again for what has arrived.

mod compare;
mod error;
mod names;

use std::collections::BTreeMap;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

pub use error::LinkError;

use crate::emit::{Emit, ir};
use crate::error::CodegenError;
use crate::input;
use crate::llvm::{Context, Module, c_string, is_local, take_message};
use crate::shelter::{keep, release};
use crate::sites::{LiveSite, read, write};

unsafe extern "C" {
    fn reloLinkModules(destination: LLVMModuleRef, source: LLVMModuleRef, only_needed: bool) -> bool;
}

/// A module to link.
#[derive(Clone, Copy, Debug)]
pub struct LinkInput<'a> {
    /// LLVM IR, text or bitcode.
    pub bytes: &'a [u8],
    /// What diagnostics call it.
    pub name: &'a str,
}

/// An input that is read.
struct Part {
    name: String,
    module: Module,
    /// The sites of each global that has some.
    sites: Vec<Relocated>,
}

/// A global with its sites, in order.
struct Relocated {
    global: LLVMValueRef,
    sites: Vec<LiveSite>,
}

/// Links modules into the first, relocations and all; with `only_needed`, of the others only what it lacks.
///
/// # Errors
/// When an input is malformed, when two of them say different things of one global, or when LLVM refuses.
pub fn link(inputs: &[LinkInput<'_>], only_needed: bool, kind: Emit) -> Result<Vec<u8>, CodegenError> {
    let context = Context::new();
    let mut parts: Vec<Part> =
        inputs.iter().map(|input| Part::read(&context, input)).collect::<Result<_, _>>()?;
    compare::machines(&parts)?;
    compare::sites(&parts)?;
    names::share_slots(&mut parts);
    let locals = names::keep_locals(&mut parts);
    let expected: Vec<(String, Vec<LiveSite>, String)> = parts
        .iter()
        .flat_map(|part| part.sites.iter().map(|one| (one.name(), one.sites.clone(), part.name.clone())))
        .collect();
    let mut parts = parts.into_iter();
    let Some(Part { module: linked, .. }) = parts.next() else { return Err(LinkError::Nothing.into()) };
    for part in parts {
        let name = part.name;
        // SAFETY: both modules are alive and of one context; the second is consumed.
        let ok = unsafe { reloLinkModules(linked.raw(), part.module.into_raw(), only_needed) };
        let said = context.take_messages();
        if !ok || !said.is_empty() {
            return Err(LinkError::Refused { name, message: said }.into());
        }
    }
    let mut arrived: BTreeMap<String, Relocated> = BTreeMap::new();
    for (name, sites, input) in expected {
        let Some(global) = linked.global(&name) else { continue };
        let one = Relocated { global, sites };
        // SAFETY: the global is alive.
        let (declared, used) =
            unsafe { (LLVMIsDeclaration(global) != 0, !LLVMGetFirstUse(global).is_null()) };
        if (declared || one.is_local()) && !used {
            // SAFETY: nothing uses the global, and it is not looked at again.
            unsafe { LLVMDeleteGlobal(global) };
        } else if declared && !one.is_slot() {
            return Err(LinkError::Undefined { symbol: name, input }.into());
        } else {
            arrived.insert(name, one);
        }
    }
    let mut relocated: Vec<Relocated> = arrived.into_values().collect();
    names::merge_equal_records(&mut relocated);
    names::restore_locals(&mut relocated, &locals);
    relocated.sort_by_key(Relocated::name);
    write(&linked, relocated.iter().flat_map(|one| one.sites.iter().map(|site| (one.global, site))));
    keep(&linked)?;
    verify(&linked)?;
    ir(&linked, kind)
}

impl Part {
    fn read(context: &std::rc::Rc<Context>, input: &LinkInput<'_>) -> Result<Self, CodegenError> {
        let module = input::parse(context, input.bytes, input.name)?;
        release(&module)?;
        let mut sites: Vec<Relocated> = Vec::new();
        let mut places = std::collections::HashMap::new();
        for (global, site) in read(&module)? {
            let place = *places.entry(global).or_insert_with(|| {
                sites.push(Relocated { global, sites: Vec::new() });
                sites.len() - 1
            });
            sites[place].sites.push(site);
        }
        for one in &mut sites {
            one.sites.sort_unstable();
        }
        // LLVM's linker would append the entries, and bring along what only they refer to.
        write(&module, []);
        let part = Self { name: input.name.to_owned(), module, sites };
        compare::places(&part)?;
        Ok(part)
    }
}

impl Relocated {
    fn name(&self) -> String {
        crate::llvm::name_of(self.global)
    }

    /// Whether other modules can't see it.
    fn is_local(&self) -> bool {
        is_local(self.global)
    }

    /// Whether it is one word and nothing else.
    fn is_slot(&self) -> bool {
        // SAFETY: the global is alive.
        unsafe {
            let ty = LLVMGlobalGetValueType(self.global);
            let module = LLVMGetGlobalParent(self.global);
            let layout = llvm_sys::target::LLVMGetModuleDataLayout(module);
            LLVMTypeIsSized(ty) != 0 && {
                let bits = llvm_sys::target::LLVMSizeOfTypeInBits(layout, ty);
                matches!(self.sites.as_slice(), [site] if site.offset == 0 && u64::from(site.width) == bits)
            }
        }
    }
}

fn verify(module: &Module) -> Result<(), CodegenError> {
    let mut message = std::ptr::null_mut();
    // SAFETY: the module is alive; the message is ours to dispose of.
    let (failed, message) = unsafe {
        let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
        (LLVMVerifyModule(module.raw(), action, &raw mut message), take_message(message))
    };
    if failed == 0 {
        return Ok(());
    }
    Err(CodegenError::Llvm { step: "verify what it linked".into(), message })
}

impl Module {
    /// A global variable by name.
    fn global(&self, name: &str) -> Option<LLVMValueRef> {
        let name = c_string(name);
        // SAFETY: the module is alive.
        let global = unsafe { LLVMGetNamedGlobal(self.raw(), name.as_ptr()) };
        (!global.is_null()).then_some(global)
    }
}
