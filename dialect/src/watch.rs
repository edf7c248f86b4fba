//! What is seen of a module while rules change it, whoever runs them: C++ reports every change here.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;

use mlir_sys::{
    MlirLocation, MlirModule, MlirOperation, MlirStringRef, mlirModuleGetOperation, mlirOperationGetLocation,
    mlirOperationGetParentOperation,
};
use relo_engine::Op;
use relo_engine::normal::Rule;

use crate::error::DialectError;
use crate::handle::{op_handle, string_attribute, string_ref, text};
use crate::host::MlirHost;
use crate::shim::{
    DriverCallbacks, reloSetRuleLocation, reloSettleInitializers, reloSettleProperties, reloTopLevelSymbol,
};
use crate::symbols::Symbols;
use crate::trace::Log;

/// What C++ calls back with: shared with the run, which MLIR interrupts to call it.
pub(crate) struct Watch {
    module: MlirModule,
    symbols: Rc<RefCell<Symbols>>,
    /// What was inserted; the interpreter's host asks for it.
    inserted: Rc<RefCell<Vec<Op>>>,
    log: Rc<RefCell<Log>>,
    /// The symbols whose definition changed, appeared or vanished.
    pub(crate) touched: RefCell<BTreeSet<String>>,
    /// The rule that is rewriting, and where its root comes from.
    rule: RefCell<(String, Option<MlirLocation>)>,
    error: RefCell<Option<DialectError>>,
    /// Counts the operations that the driver goes to.
    pub(crate) visit: Cell<u64>,
}

impl Watch {
    pub(crate) fn new(host: &MlirHost<'_>) -> Rc<Self> {
        Rc::new(Self {
            module: host.module,
            symbols: host.symbols.clone(),
            inserted: host.inserted.clone(),
            log: host.log.clone(),
            touched: RefCell::default(),
            rule: RefCell::default(),
            error: RefCell::default(),
            visit: Cell::new(0),
        })
    }

    /// For C++, which must not call any more once the watch is gone.
    pub(crate) fn callbacks(self: &Rc<Self>) -> DriverCallbacks {
        DriverCallbacks { user: Rc::as_ptr(self).cast_mut().cast(), inserted, modified, erased, stop }
    }

    /// A rule begins to rewrite.
    pub(crate) fn begin(&self, rule: &Rule, root: MlirOperation) {
        let mut current = self.rule.borrow_mut();
        current.0.clone_from(&rule.path);
        // SAFETY: the root is alive, its location as long as the context.
        current.1 = Some(unsafe { mlirOperationGetLocation(root) });
    }

    /// Keeps an error that C++ can't be told about, and stops the run.
    pub(crate) fn broken(&self, rule: &str, message: impl Into<String>) {
        self.error
            .borrow_mut()
            .get_or_insert(DialectError::Broken { rule: rule.to_owned(), message: message.into() });
    }

    /// The error that stopped the run.
    pub(crate) fn error(&self) -> Option<DialectError> {
        self.error.borrow_mut().take()
    }

    /// Rules are done: what other initialisers say of what they changed follows.
    pub(crate) fn settle(&self) {
        unsafe extern "C" fn shorter(user: *mut c_void, list: MlirStringRef) {
            // SAFETY: `user` is the watch below, and the text lives as long as the module.
            let (watch, list) = unsafe { (&*user.cast::<Watch>(), text(list)) };
            watch.touched.borrow_mut().insert(list.to_owned());
        }
        // SAFETY: the module is alive, and nobody walks over it; the callee calls back before it returns.
        unsafe { reloSettleInitializers(self.module, ptr::from_ref(self).cast_mut().cast(), shorter) }
    }

    /// Takes note of the symbol that an operation is in; tells whether it is the symbol itself.
    fn note(&self, op: MlirOperation) -> bool {
        // SAFETY: both are alive; the name lives as long as the context.
        let name = unsafe { text(reloTopLevelSymbol(self.module, op)) };
        if !name.is_empty() && !self.touched.borrow().contains(name) {
            self.touched.borrow_mut().insert(name.to_owned());
        }
        string_attribute(op, "sym_name").as_deref() == Some(name)
    }

    /// Tells a tracer of a change to an operation.
    fn log(&self, op: MlirOperation, change: impl FnOnce(&mut Log, Op)) {
        let mut log = self.log.borrow_mut();
        if !log.listens {
            return;
        }
        let mut part = op;
        // SAFETY: the operation and what holds it are alive.
        unsafe {
            let module = mlirModuleGetOperation(self.module);
            loop {
                let parent = mlirOperationGetParentOperation(part);
                if parent.ptr.is_null() || parent.ptr == module.ptr {
                    break;
                }
                part = parent;
            }
        }
        log.parts.insert(part.ptr as usize);
        change(&mut log, op_handle(op));
    }
}

unsafe extern "C" fn inserted(user: *mut c_void, op: MlirOperation) {
    // SAFETY: `user` is the watch of the run, alive as long as rules run.
    let watch = unsafe { &*user.cast::<Watch>() };
    // SAFETY: the operation is alive.
    unsafe { reloSettleProperties(op) };
    let top_level = watch.note(op);
    watch.symbols.borrow_mut().insert(op, top_level);
    watch.inserted.borrow_mut().push(op_handle(op));
    watch.log(op, |log, op| log.inserted.push(op));
    let rule = watch.rule.borrow();
    if let Some(root) = rule.1 {
        // SAFETY: operation and location are alive; MLIR copies the name.
        unsafe { reloSetRuleLocation(op, string_ref(&rule.0), root) };
    }
}

unsafe extern "C" fn modified(user: *mut c_void, op: MlirOperation) {
    // SAFETY: as above.
    let watch = unsafe { &*user.cast::<Watch>() };
    watch.note(op);
    watch.log(op, |_, _| ());
}

unsafe extern "C" fn erased(user: *mut c_void, op: MlirOperation) {
    // SAFETY: as above.
    let watch = unsafe { &*user.cast::<Watch>() };
    watch.note(op);
    watch.symbols.borrow_mut().erase(op);
    watch.log(op, |log, op| {
        log.inserted.retain(|inserted| *inserted != op);
        log.parts.remove(&op.0);
        log.erased.push(op);
    });
}

unsafe extern "C" fn stop(user: *mut c_void) -> bool {
    // SAFETY: as above.
    let watch = unsafe { &*user.cast::<Watch>() };
    watch.visit.set(watch.visit.get() + 1);
    watch.inserted.borrow_mut().clear();
    watch.error.borrow().is_some()
}
