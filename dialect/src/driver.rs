//! Runs a phase over a module: its rules, compiled to PDL.

use std::collections::BTreeSet;
use std::rc::Rc;

use relo_engine::Natives;
use relo_engine::evaluate::Bound;
use relo_engine::normal::Rule;
use relo_referent::Referent;

use crate::error::DialectError;
use crate::host::{MlirHost, Surroundings};
use crate::module::Module;
use crate::natives::{known, made};
use crate::patterns::Patterns;
use crate::record::{MOST_ROUNDS, Outcome, Record};
use crate::shim::{DRIVER_EXHAUSTED, reloDriverRun};
use crate::watch::Watch;

/// A run while MLIR calls back.
pub(crate) struct Run<'a> {
    pub(crate) host: MlirHost<'a>,
    pub(crate) natives: Rc<Natives<MlirHost<'a>>>,
    pub(crate) record: Record,
    /// What the rules bound at the operation that is being matched, by rule.
    pub(crate) pending: Vec<Option<Bound>>,
    /// What the rule that is rewriting bound.
    pub(crate) current: Option<Bound>,
    /// The operation that is being matched, as the watch counts them.
    visit: u64,
    attempts: Vec<Attempt>,
    /// The first of the rules that hold for it, so far.
    holding: Option<usize>,
}

/// What came of trying a rule besides whether it holds.
struct Attempt {
    rule: usize,
    unresolved: BTreeSet<Referent>,
    broken: Option<String>,
}

impl Run<'_> {
    /// Decides a rule by `f`. PDL asks for all rules before it takes the first that holds, in an order of its own: what
    /// comes of those behind that one is as if they had not been asked.
    pub(crate) fn attempt(
        &mut self,
        rules: &[Rule],
        rule: usize,
        f: impl FnOnce(&mut Self) -> Result<bool, String>,
    ) -> bool {
        let visit = self.record.watch.visit.get();
        if visit != self.visit {
            self.settle(rules);
            self.visit = visit;
        }
        if self.holding.is_some_and(|first| first < rule) {
            return false;
        }
        let before = std::mem::take(&mut self.host.unresolved);
        let result = f(self);
        let unresolved = std::mem::replace(&mut self.host.unresolved, before);
        let holds = result == Ok(true);
        if holds {
            self.holding = Some(rule);
        }
        let broken = result.err();
        if broken.is_some() || !unresolved.is_empty() {
            self.attempts.push(Attempt { rule, unresolved, broken });
        }
        holds
    }

    /// Keeps what came of the rules that were tried up to the one that held.
    fn settle(&mut self, rules: &[Rule]) {
        let holding = self.holding.take().unwrap_or(usize::MAX);
        self.attempts.sort_by_key(|attempt| attempt.rule);
        for attempt in self.attempts.drain(..).filter(|attempt| attempt.rule <= holding) {
            self.host.unresolved.extend(attempt.unresolved);
            if let Some(message) = attempt.broken {
                self.record.watch.broken(&rules[attempt.rule].path, message);
            }
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
    let natives = made(surroundings.natives);
    known(&natives, &patterns.rules)?;
    let host = MlirHost::new(module.context(), module.raw(), surroundings);
    let watch = Watch::new(&host);
    let mut run = Run {
        host,
        natives: Rc::new(if keep_trace { natives.timed() } else { natives }),
        record: Record::new(watch.clone(), patterns.phase, keep_trace),
        pending: vec![None; patterns.rules.len()],
        current: None,
        visit: 0,
        attempts: Vec::new(),
        holding: None,
    };
    patterns.run.set((&raw mut run).cast());
    let (result, diagnostics) = module.context().catching(|| {
        // SAFETY: module, patterns, run and watch outlive the call; no callback unwinds.
        unsafe {
            let sets = &patterns.frozen;
            let result =
                reloDriverRun(module.raw(), sets.as_ptr(), sets.len(), watch.callbacks(), MOST_ROUNDS);
            watch.settle();
            result
        }
    });
    patterns.run.set(std::ptr::null_mut());
    run.settle(&patterns.rules);
    run.record.called(run.natives.calls());
    run.record.conclude(module, &patterns.rules, &mut run.host, result == DRIVER_EXHAUSTED, diagnostics)
}
