//! Runs a phase over a module without PDL: by the engine's reference interpreter.

use relo_engine::interpret::{self, Ended, Event};
use relo_engine::normal::{Phase, Rule};

use crate::error::DialectError;
use crate::handle::operation;
use crate::host::{MlirHost, Surroundings};
use crate::module::Module;
use crate::natives::{known, made};
use crate::record::{MOST_ROUNDS, Outcome, Record};
use crate::shim::{reloRewriterCreate, reloRewriterDestroy};
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
    let natives = made(surroundings.natives);
    known(&natives, rules)?;
    let mut host = MlirHost::new(module.context(), module.raw(), surroundings);
    let watch = Watch::new(&host);
    let mut record = Record::new(watch.clone(), phase, keep_trace);
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
        // SAFETY: nobody has the rewriter any more.
        unsafe { reloRewriterDestroy(rewriter) };
        watch.settle();
        ended
    });
    if let Ended::Broken { rule, message } = &ended {
        watch.broken(&rules[*rule].path, message.clone());
    }
    record.conclude(module, rules, &mut host, ended == Ended::Exhausted, diagnostics)
}
