//! What a phase did, and how it ended, whoever ran it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlir_sys::MlirOperation;
use relo_engine::evaluate::Failure;
use relo_engine::normal::{Phase, Rule};
use relo_engine::{Calls, Host, Location};

use crate::context::MlirDiagnostic;
use crate::error::{DialectError, Rejection};
use crate::faults::verify;
use crate::handle::{op_handle, text};
use crate::host::MlirHost;
use crate::module::Module;
use crate::shim::reloTopLevelSymbol;
use crate::watch::Watch;

/// A phase goes over the module at most this often. Rules that need more than a few rounds take each other's results
/// back.
pub(crate) const MOST_ROUNDS: u32 = 64;

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
    /// How long its own rewrites took: what MLIR builds from the pattern is no part of it.
    pub rewriting: Duration,
}

/// What a phase did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Every rewrite, in order; empty unless asked for.
    pub trace: Vec<Fired>,
    /// How often each rule fired, by path; with its digest.
    pub fired: BTreeMap<String, (String, usize)>,
    /// How the rules fared whose operations were found, by path; empty unless the trace is asked for.
    pub tried: BTreeMap<String, Tried>,
    /// What the natives were called for; empty unless the trace is asked for.
    pub calls: BTreeMap<&'static str, Calls>,
    /// The symbols whose definition changed, appeared or vanished.
    pub touched: BTreeSet<String>,
}

/// What is written down while a phase runs.
pub(crate) struct Record {
    pub(crate) watch: Rc<Watch>,
    rejections: Vec<Rejection>,
    /// The rules that fired last, by index: where a phase does not end, they are why.
    last: VecDeque<usize>,
    outcome: Outcome,
    keep_trace: bool,
    phase: Phase,
}

impl Record {
    pub(crate) fn new(watch: Rc<Watch>, phase: Phase, keep_trace: bool) -> Self {
        let (last, outcome) = (VecDeque::new(), Outcome::default());
        Self { watch, rejections: Vec::new(), last, outcome, keep_trace, phase }
    }

    /// Takes note of a decision, where somebody asked.
    pub(crate) fn tried(&mut self, rule: &Rule, failure: Option<Failure>, start: Instant) {
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

    /// Takes note of the time of a part of a rewrite, where somebody asked.
    pub(crate) fn rewrote(&mut self, rule: &Rule, start: Instant) {
        if self.keep_trace {
            self.outcome.tried.entry(rule.path.clone()).or_default().rewriting += start.elapsed();
        }
    }

    /// Takes note of what the natives were called for.
    pub(crate) fn called(&mut self, calls: BTreeMap<&'static str, Calls>) {
        self.outcome.calls = calls;
    }

    /// Takes note of a rewrite that begins.
    pub(crate) fn fired(&mut self, index: usize, rule: &Rule, root: MlirOperation, host: &MlirHost<'_>) {
        if self.last.len() == CYCLE {
            self.last.pop_front();
        }
        self.last.push_back(index);
        self.watch.begin(rule, root);
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
                operation: host.operation_name(root),
                place: host.location(root),
            });
        }
    }

    /// Takes note of a rejection; that of an operation that is visited again is the same.
    pub(crate) fn rejected(
        &mut self,
        rule: &Rule,
        root: MlirOperation,
        message: String,
        host: &MlirHost<'_>,
    ) {
        let place = host.location(op_handle(root));
        // SAFETY: module and operation are alive; the name lives as long as the context.
        let symbol = unsafe { text(reloTopLevelSymbol(host.module, root)) }.to_owned();
        let rejection = Rejection { rule: rule.path.clone(), message, place, symbol, instead: Vec::new() };
        if !self.rejections.contains(&rejection) {
            self.rejections.push(rejection);
        }
    }

    /// What the phase did, once it is over; or why its module is of no use.
    pub(crate) fn conclude(
        self,
        module: &Module<'_>,
        rules: &[Rule],
        host: &mut MlirHost<'_>,
        exhausted: bool,
        diagnostics: Vec<MlirDiagnostic>,
    ) -> Result<Outcome, DialectError> {
        if let Some(error) = self.watch.error() {
            return Err(error);
        }
        if !self.rejections.is_empty() {
            return Err(DialectError::Rejected(self.rejections));
        }
        if let Some((symbol, what)) = host.taken.pop_first() {
            return Err(DialectError::Taken { symbol, what });
        }
        if !host.unresolved.is_empty() {
            return Err(DialectError::Unresolved(std::mem::take(&mut host.unresolved).into_iter().collect()));
        }
        if exhausted {
            let last: BTreeSet<&String> = self.last.iter().map(|index| &rules[*index].path).collect();
            let rules = last.into_iter().cloned().collect();
            return Err(DialectError::Endless { phase: self.phase.to_string(), rules });
        }
        if !self.outcome.fired.is_empty() || !diagnostics.is_empty() {
            verify(module, self.phase, rules, diagnostics)?;
        }
        let mut outcome = self.outcome;
        outcome.touched = self.watch.touched.take();
        Ok(outcome)
    }
}
