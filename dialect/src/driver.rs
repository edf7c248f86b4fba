//! Runs a phase over a module.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::c_void;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlir_sys::{MlirModule, MlirOperation};
use relo_engine::evaluate::{Bound, Failure};
use relo_engine::normal::{Phase, Rule};
use relo_engine::{Host, Location, Natives};

use crate::error::{DialectError, Rejection};
use crate::handle::{op_handle, string_ref, text};
use crate::host::{MlirHost, Surroundings};
use crate::module::Module;
use crate::natives::natives;
use crate::patterns::Patterns;
use crate::shim::{
    DRIVER_EXHAUSTED, DriverCallbacks, reloDriverRun, reloSetRuleLocation, reloSettleInitializers,
    reloSettleProperties, reloTopLevelSymbol,
};
use crate::symbols::Symbols;

/// A phase goes over the module at most this often. Rules that need more than a few rounds take each other's results
/// back.
const MOST_ROUNDS: u32 = 64;

/// How many rewrites back a cycle is looked for.
const CYCLE: usize = 16;

/// A rewrite that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fired {
    /// The rule.
    pub rule: String,
    /// Its digest.
    pub digest: String,
    /// The phase it ran in.
    pub phase: Phase,
    /// The operation that was replaced.
    pub operation: String,
    /// Where it came from.
    pub place: Location,
}

/// How often a rule was tried, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// How often it held.
    pub held: usize,
    /// What did not hold, and how often.
    pub failed: BTreeMap<Failure, usize>,
    /// How long deciding took.
    pub deciding: Duration,
}

/// What a phase did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Every rewrite, in order; empty unless asked for.
    pub trace: Vec<Fired>,
    /// How often each rule fired, by path; with its digest.
    pub fired: BTreeMap<String, (String, usize)>,
    /// How the rules fared whose operations were found, by path; empty unless the trace is asked for.
    pub tried: BTreeMap<String, Tried>,
    /// The symbols whose definition changed, appeared or vanished.
    pub touched: BTreeSet<String>,
}

/// A run while MLIR calls back.
pub(crate) struct Run<'a> {
    pub(crate) host: MlirHost<'a>,
    pub(crate) natives: Rc<Natives<MlirHost<'a>>>,
    /// What the rules bound at the operation that is being matched, by rule.
    pub(crate) pending: Vec<Option<Bound>>,
    /// What the rule that is rewriting bound.
    pub(crate) current: Option<Bound>,
    pub(crate) rejections: Vec<Rejection>,
    /// The rules that fired last, by index: where a phase does not end, they are why.
    last: VecDeque<usize>,
    outcome: Outcome,
    watch: Rc<Watch>,
    keep_trace: bool,
    phase: Phase,
}

/// What the driver's callbacks see: shared with the run, which MLIR interrupts to call them.
struct Watch {
    module: MlirModule,
    symbols: Rc<RefCell<Symbols>>,
    touched: RefCell<BTreeSet<String>>,
    rule: RefCell<String>,
    error: RefCell<Option<DialectError>>,
    stopped: Cell<bool>,
}

impl Run<'_> {
    /// Keeps an error that C++ can't be told about, and stops the run.
    pub(crate) fn broken(&mut self, rule: &str, message: impl Into<String>) {
        self.watch
            .error
            .borrow_mut()
            .get_or_insert(DialectError::Broken { rule: rule.to_owned(), message: message.into() });
        self.watch.stopped.set(true);
    }

    /// Takes note of a decision, where somebody asked.
    pub(crate) fn note_tried(&mut self, rule: &Rule, failure: Option<Failure>, start: Instant) {
        if !self.keep_trace {
            return;
        }
        let tried = self.outcome.tried.entry(rule.path.clone()).or_default();
        tried.deciding += start.elapsed();
        match failure {
            Some(failure) => *tried.failed.entry(failure).or_default() += 1,
            None => tried.held += 1,
        }
    }

    /// Takes note of a rewrite that begins.
    pub(crate) fn note_fired(&mut self, index: usize, rule: &Rule, root: MlirOperation) {
        if self.last.len() == CYCLE {
            self.last.pop_front();
        }
        self.last.push_back(index);
        self.watch.rule.borrow_mut().clone_from(&rule.path);
        match self.outcome.fired.get_mut(&rule.path) {
            Some((_, count)) => *count += 1,
            None => {
                self.outcome.fired.insert(rule.path.clone(), (rule.digest.clone(), 1));
            }
        }
        if self.keep_trace {
            let root = op_handle(root);
            self.outcome.trace.push(Fired {
                rule: rule.path.clone(),
                digest: rule.digest.clone(),
                phase: self.phase,
                operation: self.host.operation_name(root),
                place: self.host.location(root),
            });
        }
    }
}

/// Applies a phase's rules until none applies, and verifies what they made.
///
/// # Errors
/// When a rule rejects the input, a referent can't be resolved, the rules don't come to an end, or what they made is
/// invalid. The module is of no use then.
pub fn run(
    module: &mut Module<'_>,
    patterns: &Patterns,
    surroundings: &Surroundings<'_>,
    keep_trace: bool,
) -> Result<Outcome, DialectError> {
    if patterns.rules.is_empty() {
        return Ok(Outcome::default());
    }
    let host = MlirHost::new(module.context(), module.raw(), surroundings);
    let watch = Rc::new(Watch {
        module: module.raw(),
        symbols: host.symbols.clone(),
        touched: RefCell::default(),
        rule: RefCell::default(),
        error: RefCell::default(),
        stopped: Cell::new(false),
    });
    let mut run = Run {
        host,
        natives: Rc::new(natives()),
        pending: vec![None; patterns.rules.len()],
        current: None,
        rejections: Vec::new(),
        last: VecDeque::new(),
        outcome: Outcome::default(),
        watch: watch.clone(),
        keep_trace,
        phase: patterns.phase,
    };
    let callbacks = DriverCallbacks { user: Rc::as_ptr(&watch).cast_mut().cast(), inserted, erased, stop };
    patterns.run.set((&raw mut run).cast());
    let (result, diagnostics) = module.context().catching(|| {
        // SAFETY: module, patterns, run and watch outlive the call; no callback unwinds.
        unsafe {
            let result = reloDriverRun(module.raw(), patterns.frozen, callbacks, MOST_ROUNDS);
            reloSettleInitializers(module.raw());
            result
        }
    });
    patterns.run.set(std::ptr::null_mut());
    if let Some(error) = watch.error.borrow_mut().take() {
        return Err(error);
    }
    if !run.rejections.is_empty() {
        return Err(DialectError::Rejected(run.rejections));
    }
    if let Some((symbol, what)) = run.host.taken.pop_first() {
        return Err(DialectError::Taken { symbol, what });
    }
    if !run.host.unresolved.is_empty() {
        return Err(DialectError::Unresolved(run.host.unresolved.into_iter().collect()));
    }
    if result == DRIVER_EXHAUSTED {
        let rules: BTreeSet<&String> = run.last.iter().map(|index| &patterns.rules[*index].path).collect();
        let rules = rules.into_iter().cloned().collect();
        return Err(DialectError::Endless { phase: patterns.phase.to_string(), rules });
    }
    if !diagnostics.is_empty() {
        return Err(DialectError::Invalid { when: format!("in phase `{}`", patterns.phase), diagnostics });
    }
    if !run.outcome.fired.is_empty() {
        module.verify(&format!("after phase `{}`", patterns.phase))?;
    }
    let mut outcome = run.outcome;
    outcome.touched = watch.touched.take();
    Ok(outcome)
}

unsafe extern "C" fn inserted(user: *mut c_void, op: MlirOperation) {
    // SAFETY: `user` is the watch of the run, alive as long as the driver runs.
    let watch = unsafe { &*user.cast::<Watch>() };
    // SAFETY: the operation is alive.
    unsafe { reloSettleProperties(op) };
    let top_level = watch.note(op);
    watch.symbols.borrow_mut().insert(op, top_level);
    // SAFETY: the operation is alive; MLIR copies the name.
    unsafe { reloSetRuleLocation(op, string_ref(&watch.rule.borrow())) };
}

unsafe extern "C" fn erased(user: *mut c_void, op: MlirOperation) {
    // SAFETY: as above.
    let watch = unsafe { &*user.cast::<Watch>() };
    watch.note(op);
    watch.symbols.borrow_mut().erase(op);
}

unsafe extern "C" fn stop(user: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { &*user.cast::<Watch>() }.stopped.get()
}

impl Watch {
    /// Takes note of the symbol that an operation is in; tells whether it is the symbol itself.
    fn note(&self, op: MlirOperation) -> bool {
        // SAFETY: both are alive; the name lives as long as the context.
        let name = unsafe { text(reloTopLevelSymbol(self.module, op)) };
        if !name.is_empty() && !self.touched.borrow().contains(name) {
            self.touched.borrow_mut().insert(name.to_owned());
        }
        crate::handle::string_attribute(op, "sym_name").as_deref() == Some(name)
    }
}
