//! One test, run: what the rules did to its module.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use indexmap::IndexMap;
use indexmap::map::Entry;
use relo_codegen::{Emit, Options, compile};
use relo_dialect::{
    Context, DialectError, Fired, Missed, Module, Patterns, Rejection, Surroundings, Tried, interpret,
    missed, natives, plan, run as run_phase, signatures,
};
use relo_engine::evaluate::Failure;
use relo_engine::normal::{Condition, Phase, Rule};
use relo_engine::{RuleSet, TargetSpec};
use relo_grammar::span::Span;
use relo_referent::Referent;

use crate::gather::Test;
use crate::head::Setup;

/// What a phase did, where it did anything.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Which.
    pub phase: Phase,
    /// The rewrites, in order.
    pub fired: Vec<Fired>,
    /// The module afterwards.
    pub after: String,
}

/// Why a test's module did not come through.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Rules rejected it.
    Rejected(Vec<Rejection>),
    /// Anything else, as text.
    Failed(String),
}

/// What happened to a test's module.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// The module as it was read; empty where it is LLVM IR, which no rule sees as such.
    pub before: String,
    /// What each phase did.
    pub stages: Vec<Stage>,
    /// What ended it.
    pub refusal: Option<Refusal>,
    /// How far the test's rule got where it did not fire, and what stood in its way there.
    pub nearest: Option<Missed>,
    /// Where conditions of rules stand that did not hold, by rule.
    pub(crate) failed: BTreeMap<String, BTreeSet<Span>>,
    /// Where conditions of the test's rule stand that always hold.
    pub(crate) certain: BTreeSet<Span>,
}

impl Observed {
    /// Whether a rule (or any of its family) fired, or rejected something.
    pub fn acted(&self, rule: &str) -> bool {
        self.rules().contains(rule)
    }

    /// The rules that fired or rejected, a family as one.
    pub fn rules(&self) -> BTreeSet<&str> {
        let fired = self.stages.iter().flat_map(|stage| &stage.fired).map(|fired| fired.rule.as_str());
        let rejections = match &self.refusal {
            Some(Refusal::Rejected(rejections)) => rejections.as_slice(),
            _ => &[],
        };
        fired.chain(rejections.iter().map(|one| one.rule.as_str())).map(base).collect()
    }

    /// Takes note of the conditions that did not hold.
    fn note_failed(&mut self, rules: &[Rule], tried: &BTreeMap<String, Tried>) {
        for rule in rules {
            for failure in tried.get(&rule.path).into_iter().flat_map(|tried| tried.failed.keys()) {
                if let Failure::Condition(index) = failure {
                    let (Condition::Bind { span, .. }
                    | Condition::Each { span, .. }
                    | Condition::Test { span, .. }) = &rule.conditions[*index];
                    self.failed.entry(base(&rule.path).to_owned()).or_default().insert(*span);
                }
            }
        }
    }

    /// Whether there was such an operation in the module, at any time that is known of.
    pub(crate) fn saw(&self, operation: &str) -> bool {
        self.before.contains(operation)
            || self.stages.iter().any(|stage| {
                stage.after.contains(operation)
                    || stage.fired.iter().any(|fired| fired.operation == operation)
            })
    }

    /// As a snapshot holds it: IR before and after, the rules that fired, and what stood in the way of the test's own.
    /// Values have MLIR's own numbers and nothing has a line or column, so that neither names nor comments of the input
    /// count.
    pub fn text(&self, test: &Test) -> String {
        let mut text = self.deeds(test);
        if let Some(missed) = &self.nearest
            && let Some(obstacle) = &missed.obstacle
        {
            let symbol = missed.place.symbol.as_deref().unwrap_or("the module");
            let _ = writeln!(text, "// {} does not hold on {} in `{symbol}`", missed.rule, missed.operation);
            let _ = writeln!(text, "//   {obstacle}");
        }
        text
    }

    /// What rules did, without what they did not do.
    pub(crate) fn deeds(&self, test: &Test) -> String {
        let mut text = String::new();
        if !self.before.is_empty() {
            let _ = writeln!(text, "// before\n{}", self.before);
        }
        for stage in &self.stages {
            let _ = writeln!(text, "// {}", stage.phase);
            for fired in &stage.fired {
                let symbol = fired.place.symbol.as_deref().unwrap_or("the module");
                let _ = writeln!(text, "//   {} on {} in `{symbol}`", fired.rule, fired.operation);
            }
            let _ = writeln!(text, "{}", stage.after);
        }
        match &self.refusal {
            Some(Refusal::Rejected(rejections)) => {
                let _ = writeln!(text, "// rejected");
                for one in rejections {
                    let symbol = one.place.symbol.as_deref().unwrap_or("the module");
                    let _ = writeln!(text, "//   {} in `{symbol}`: {}", one.rule, one.message);
                }
            }
            Some(Refusal::Failed(reason)) => {
                let _ = writeln!(text, "// failed\n{reason}");
            }
            None if self.stages.is_empty() => {
                let whom = test.rule.as_deref().unwrap_or("any rule");
                let _ = writeln!(text, "// unchanged by {whom}");
            }
            None => {}
        }
        text
    }
}

/// Without the module's attributes, which its target gave it.
fn without_layout(text: String) -> String {
    match text.strip_prefix("module attributes {dlti.").and_then(|rest| rest.split_once('\n')) {
        Some((_, rest)) => format!("module {{\n{rest}"),
        None => text,
    }
}

/// A rule's path without its family's value.
pub(crate) fn base(path: &str) -> &str {
    path.split('[').next().unwrap_or(path)
}

/// Runs tests, one after another, in an MLIR context of its own.
#[derive(Default)]
pub(crate) struct Worker {
    /// Whether it leaves rules as they are instead of compiling them: the same comes out, and rules that few tests are
    /// run with are quicker so.
    interprets: bool,
    /// Before the context, which has to outlive them.
    patterns: IndexMap<String, Box<Patterns>>,
    layouts: HashMap<String, String>,
    context: Context,
}

impl Worker {
    pub(crate) fn new(interprets: bool) -> Self {
        Self { interprets, ..Self::default() }
    }

    pub(crate) fn observe(&mut self, test: &Test, setup: &Setup, rules: &RuleSet) -> Observed {
        let mut observed = Observed::default();
        let result = if test.is_llvm() {
            through_llvm(test, setup, rules, self.interprets, &mut observed)
        } else {
            self.phases(test, setup, rules, &mut observed)
        };
        observed.refusal = result.err();
        observed
    }

    fn phases(
        &mut self,
        test: &Test,
        setup: &Setup,
        rules: &RuleSet,
        observed: &mut Observed,
    ) -> Result<(), Refusal> {
        let layout = layout(&mut self.layouts, &rules.target.spec)?;
        let mut module =
            Module::parse_for(&self.context, test.input.text.as_bytes(), &test.input.name, layout)
                .map_err(refusal)?;
        let has_layout = test.input.text.contains("data_layout");
        let print = |module: &Module<'_>| {
            let text = module.text();
            if has_layout { text } else { without_layout(text) }
        };
        observed.before = print(&module);
        let own = |rule: &&Rule| test.rule.as_deref().is_none_or(|path| path == base(&rule.path));
        if test.rule.is_some() {
            let signatures = signatures();
            let own = rules.rules().iter().filter(own);
            observed.certain = own.flat_map(|rule| rule.certain(&signatures)).collect();
        }
        let resolve = |referent: &Referent| Some(stand_in(setup, referent));
        let word_width = rules.target.word_width();
        let surroundings = Surroundings { session: &setup.session, word_width, resolve: &resolve, natives };
        let last = match &test.rule {
            Some(path) => match rules.rules().iter().find(own) {
                Some(rule) => rule.phase,
                None => return Err(Refusal::Failed(format!("`{path}` takes no part for this target"))),
            },
            None => Phase::Finish,
        };
        for phase in Phase::ALL.into_iter().filter(|phase| *phase <= last) {
            if phase == Phase::Lower {
                plan(&mut module, rules).map_err(refusal)?;
            }
            let alone: Vec<Rule>;
            let taking_part = if test.alone {
                alone = rules.phase(phase).iter().filter(own).cloned().collect();
                &alone
            } else {
                rules.phase(phase)
            };
            let outcome = if self.interprets {
                interpret(&mut module, phase, taking_part, &surroundings, true, &mut |_, _| ())
            } else {
                let only;
                let patterns = if test.alone {
                    only = Patterns::new(&self.context, phase, taking_part).map_err(refusal)?;
                    &only
                } else {
                    compiled(&mut self.patterns, &self.context, phase, taking_part)?
                };
                run_phase(&mut module, patterns, &surroundings, true)
            }
            .map_err(refusal)?;
            observed.note_failed(rules.phase(phase), &outcome.tried);
            if !outcome.trace.is_empty() {
                observed.stages.push(Stage { phase, fired: outcome.trace, after: print(&module) });
            }
        }
        if let Some(path) = &test.rule
            && !observed.acted(path)
        {
            let own: Vec<Rule> = rules.rules().iter().filter(own).cloned().collect();
            // The furthest; of several, the first.
            let tried = missed(&module, &own, &surroundings);
            let far = |missed: &Missed| missed.obstacle.as_ref().map(|obstacle| obstacle.failure);
            let furthest = tried.iter().filter_map(far).max();
            observed.nearest = tried.into_iter().find(|missed| far(missed) == furthest);
        }
        Ok(())
    }
}

/// The patterns of rules, which many tests share.
fn compiled<'a>(
    known: &'a mut IndexMap<String, Box<Patterns>>,
    context: &Context,
    phase: Phase,
    rules: &[Rule],
) -> Result<&'a Patterns, Refusal> {
    Ok(match known.entry(key(phase, rules)) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(Patterns::new(context, phase, rules).map_err(refusal)?),
    })
}

/// LLVM IR goes the compiler's own way: what MLIR can't carry is carried around it.
fn through_llvm(
    test: &Test,
    setup: &Setup,
    rules: &RuleSet,
    interpret: bool,
    observed: &mut Observed,
) -> Result<(), Refusal> {
    let resolve = |referent: &Referent| Some(stand_in(setup, referent));
    let options = Options {
        input: test.input.text.as_bytes(),
        name: &test.input.name,
        session: &setup.session,
        rules,
        emit: Emit::Llvm,
        level: 0,
        entries: &[],
        confine: false,
        resolve: &resolve,
        natives,
        trace: true,
        interpret,
        progress: &|_| (),
    };
    let compilation = compile(&options, &mut |step| {
        observed.note_failed(rules.phase(step.phase), &step.outcome.tried);
        if !step.outcome.trace.is_empty() {
            observed.stages.push(Stage {
                phase: step.phase,
                fired: step.outcome.trace.clone(),
                after: step.module.text(),
            });
        }
    });
    compilation.map(|_| ()).map_err(|error| Refusal::Failed(error.to_string()))
}

/// A word that is easy to find again: the length of the referent's text.
fn stand_in(setup: &Setup, referent: &Referent) -> u64 {
    let known = setup.session.addresses().find(|(_, found)| *found == referent);
    known.map_or_else(|| 0x1000 + referent.to_string().len() as u64, |(address, _)| address)
}

fn layout<'a>(layouts: &'a mut HashMap<String, String>, target: &TargetSpec) -> Result<&'a str, Refusal> {
    if !layouts.contains_key(&target.name) {
        let layout = relo_codegen::data_layout(target).map_err(|error| Refusal::Failed(error.to_string()))?;
        layouts.insert(target.name.clone(), layout);
    }
    Ok(&layouts[&target.name])
}

fn refusal(error: DialectError) -> Refusal {
    match error {
        DialectError::Rejected(rejections) => Refusal::Rejected(rejections),
        error => Refusal::Failed(error.to_string()),
    }
}

/// Equal for equal rules in an equal order: many setups share them.
fn key(phase: Phase, rules: &[Rule]) -> String {
    let digests: Vec<&str> = rules.iter().map(|rule| rule.digest.as_str()).collect();
    format!("{phase} {}", digests.join(" "))
}
