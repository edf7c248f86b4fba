//! The symbols of a module and how often each is used, kept up to date while rules change it.

use std::collections::HashMap;
use std::ffi::c_void;

use mlir_sys::{
    MlirModule, MlirOperation, MlirStringRef, mlirBlockGetFirstOperation, mlirModuleGetBody,
    mlirOperationGetNextInBlock,
};

use crate::handle::{string_attribute, text};
use crate::natives::{ANNOTATIONS, annotations};
use crate::shim::reloSymbolUses;

/// What LLVM keeps although nothing may need it.
const KEPT: [&str; 2] = ["llvm.used", "llvm.compiler.used"];

/// Top-level symbols by name. Lookups and updates take constant time: `SymbolTable::lookup` alone is linear.
#[derive(Default)]
pub(crate) struct Symbols {
    operations: HashMap<String, usize>,
    uses: HashMap<String, usize>,
    kept: HashMap<String, usize>,
    annotations: HashMap<String, String>,
}

impl Symbols {
    /// Reads a module.
    pub(crate) fn new(module: MlirModule) -> Self {
        let mut symbols = Self::default();
        for op in top_level(module) {
            symbols.insert(op, true);
        }
        if let Some(list) = symbols.get(ANNOTATIONS) {
            symbols.annotations = annotations(list, |name| symbols.get(name));
        }
        symbols
    }

    /// What the source annotated a global with.
    pub(crate) fn annotation(&self, name: &str) -> Option<&str> {
        self.annotations.get(name).map(String::as_str)
    }

    /// The operation that defines a symbol.
    pub(crate) fn get(&self, name: &str) -> Option<MlirOperation> {
        self.operations.get(name).map(|pointer| MlirOperation { ptr: *pointer as *mut c_void })
    }

    /// The operations that define the symbols that an operation refers to.
    pub(crate) fn used_by(&self, op: MlirOperation) -> impl Iterator<Item = MlirOperation> {
        let mut found = Vec::new();
        each_use(op, |name| found.extend(self.get(name)));
        found.into_iter()
    }

    /// Whether anything refers to a symbol.
    pub(crate) fn is_used(&self, name: &str) -> bool {
        self.is_needed(name) || self.kept.get(name).is_some_and(|count| *count > 0)
    }

    /// Whether anything but the lists of what is to be kept refers to a symbol.
    pub(crate) fn is_needed(&self, name: &str) -> bool {
        self.uses.get(name).is_some_and(|count| *count > 0)
    }

    /// Takes note of an operation that was inserted; `top_level` where it may define a symbol.
    pub(crate) fn insert(&mut self, op: MlirOperation, top_level: bool) {
        if top_level && let Some(name) = string_attribute(op, "sym_name") {
            self.operations.insert(name, op.ptr as usize);
        }
        self.count_uses(op);
    }

    /// Lets `change` change the operations' contents, and counts their uses again.
    pub(crate) fn recount<T>(&mut self, operations: &[MlirOperation], change: impl FnOnce() -> T) -> T {
        for op in operations {
            self.forget_uses(*op);
        }
        let result = change();
        for op in operations {
            self.count_uses(*op);
        }
        result
    }

    /// Takes note of an operation that is about to be erased.
    pub(crate) fn erase(&mut self, op: MlirOperation) {
        if let Some(name) = string_attribute(op, "sym_name")
            && self.operations.get(&name) == Some(&(op.ptr as usize))
        {
            self.operations.remove(&name);
        }
        self.forget_uses(op);
    }

    fn count_uses(&mut self, op: MlirOperation) {
        if let Some(counts) = self.counts(op) {
            each_use(op, |name| *counts.entry(name.to_owned()).or_default() += 1);
        }
    }

    fn forget_uses(&mut self, op: MlirOperation) {
        if let Some(counts) = self.counts(op) {
            each_use(op, |name| {
                if let Some(count) = counts.get_mut(name) {
                    *count = count.saturating_sub(1);
                }
            });
        }
    }

    /// Where an operation's uses are counted. An annotation is no use of what it is about.
    fn counts(&mut self, op: MlirOperation) -> Option<&mut HashMap<String, usize>> {
        match string_attribute(op, "sym_name").as_deref() {
            Some(ANNOTATIONS) => None,
            Some(name) if KEPT.contains(&name) => Some(&mut self.kept),
            _ => Some(&mut self.uses),
        }
    }
}

/// The operations in a module's body, in order.
pub(crate) fn top_level(module: MlirModule) -> Vec<MlirOperation> {
    let mut operations = Vec::new();
    // SAFETY: the module is alive, and nothing changes it while its list of operations is read.
    unsafe {
        let mut op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
        while !op.ptr.is_null() {
            operations.push(op);
            op = mlirOperationGetNextInBlock(op);
        }
    }
    operations
}

/// Calls back for each symbol that an operation refers to.
fn each_use<F: FnMut(&str)>(op: MlirOperation, mut f: F) {
    unsafe extern "C" fn call<F: FnMut(&str)>(user: *mut c_void, symbol: MlirStringRef) {
        // SAFETY: `user` is the closure below, and the text lives as long as the context.
        let (f, symbol) = unsafe { (&mut *user.cast::<F>(), text(symbol)) };
        f(symbol);
    }
    // SAFETY: the callee calls back before it returns, and keeps nothing.
    unsafe { reloSymbolUses(op, (&raw mut f).cast(), call::<F>) }
}
