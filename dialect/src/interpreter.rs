//! Runs a phase over a module without PDL: by the engine's reference interpreter.

use mlir_sys::{MlirOperation, MlirWalkOrder_MlirWalkPreOrder, MlirWalkResult, mlirOperationWalk};
use relo_engine::interpret::{self, Ended, Event};
use relo_engine::normal::{Phase, Rule};
use relo_engine::{Host, Location, Obstacle, Op, why_not};

use crate::error::DialectError;
use crate::handle::{op_handle, operation};
use crate::host::{MlirHost, Surroundings};
use crate::module::Module;
use crate::natives::natives;
use crate::record::{MOST_ROUNDS, Outcome, Record};
use crate::shim::{reloRewriterCreate, reloRewriterDestroy, reloSettleInitializers};
use crate::watch::Watch;

/// Does what [`crate::run`] does, with the rules as they are, and tells `observe` of every rule that is tried.
///
/// # Errors
/// As [`crate::run`].
pub fn interpret(
    module: &mut Module<'_>,
    phase: Phase,
    rules: &[Rule],
    surroundings: &Surroundings<'_>,
    keep_trace: bool,
    observe: &mut dyn FnMut(&mut MlirHost<'_>, &Event),
) -> Result<Outcome, DialectError> {
    let mut host = MlirHost::new(module.context(), module.raw(), surroundings);
    let watch = Watch::new(&host);
    let mut record = Record::new(watch.clone(), phase, keep_trace);
    let natives = natives();
    let (ended, diagnostics) = module.context().catching(|| {
        // SAFETY: context and watch outlive the rewriter, which is destroyed below.
        let rewriter = unsafe { reloRewriterCreate(module.context().raw(), watch.callbacks()) };
        host.rewriter = Some(rewriter);
        let mut note = |host: &mut MlirHost<'_>, event: &Event| {
            observe(host, event);
            match event {
                Event::Fired { rule, root } => record.fired(*rule, &rules[*rule], operation(*root), host),
                Event::Rejected { rule, root, message } => {
                    record.rejected(&rules[*rule], operation(*root), message.clone(), host);
                }
                Event::Missed { .. } => {}
            }
        };
        let ended = interpret::interpret(rules, &mut host, &natives, MOST_ROUNDS, &mut note);
        host.rewriter = None;
        host.building = None;
        // SAFETY: nobody has the rewriter any more; the module is alive.
        unsafe {
            reloRewriterDestroy(rewriter);
            reloSettleInitializers(module.raw());
        }
        ended
    });
    if let Ended::Broken { rule, message } = &ended {
        watch.broken(&rules[*rule].path, message.clone());
    }
    record.conclude(module, rules, &mut host, ended == Ended::Exhausted, diagnostics)
}

/// Why a rule does not hold, for each operation of its root's name, in the module's order; nothing where it does.
pub fn obstacles(
    module: &Module<'_>,
    rule: &Rule,
    surroundings: &Surroundings<'_>,
) -> Vec<(Location, Option<Obstacle>)> {
    let mut host = MlirHost::new(module.context(), module.raw(), surroundings);
    let natives = natives();
    let name = &rule.root().name;
    let roots = operations(module).into_iter().filter(|op| host.operation_name(*op) == *name);
    let roots: Vec<Op> = roots.collect();
    roots.into_iter().map(|op| (host.location(op), why_not(rule, op, &mut host, &natives))).collect()
}

/// All operations of a module, each before those inside it.
pub(crate) fn operations(module: &Module<'_>) -> Vec<Op> {
    unsafe extern "C" fn visit(op: MlirOperation, user: *mut std::ffi::c_void) -> MlirWalkResult {
        // SAFETY: `user` is the list below.
        unsafe { &mut *user.cast::<Vec<Op>>() }.push(op_handle(op));
        mlir_sys::MlirWalkResult_MlirWalkResultAdvance
    }
    let mut all: Vec<Op> = Vec::new();
    // SAFETY: the module is alive; the walk calls back before it returns.
    unsafe {
        let user = (&raw mut all).cast();
        mlirOperationWalk(module.operation(), Some(visit), user, MlirWalkOrder_MlirWalkPreOrder);
    }
    all
}
