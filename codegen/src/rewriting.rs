//! The phases of rules over one module, whoever runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use relo_dialect::{Context, DialectError, Module, Patterns, Surroundings, Tracer, interpret, plan, run};
use relo_engine::RuleSet;
use relo_engine::normal::Phase;
use relo_referent::Referent;

use crate::compile::{Options, Step};
use crate::error::CodegenError;

/// Who runs the rules.
pub(crate) enum How<'a, 't> {
    /// MLIR, compiled to PDL.
    Patterned,
    /// The reference interpreter.
    Interpreted,
    /// The reference interpreter, and a tracer sees every step.
    Traced(&'a mut Tracer<'t>),
}

/// The rules at work on a module.
pub(crate) struct Rewriting<'a, 'w, 't> {
    options: &'a Options<'a>,
    how: How<'w, 't>,
    watch: &'w mut dyn FnMut(&Step<'_, '_>),
    /// The rules that fired, with their digests.
    pub(crate) fired: BTreeMap<String, String>,
    /// The symbols that rules touched.
    pub(crate) touched: BTreeSet<String>,
}

impl<'a, 'w, 't> Rewriting<'a, 'w, 't> {
    pub(crate) fn new(
        options: &'a Options<'a>,
        how: How<'w, 't>,
        watch: &'w mut dyn FnMut(&Step<'_, '_>),
    ) -> Self {
        Self { options, how, watch, fired: BTreeMap::new(), touched: BTreeSet::new() }
    }

    /// Takes a module through all phases.
    pub(crate) fn run(&mut self, module: &mut Module<'_>, context: &Context) -> Result<(), CodegenError> {
        let options = self.options;
        let mut objects: BTreeMap<&Referent, u64> = BTreeMap::new();
        for (address, referent) in options.session.addresses() {
            objects.entry(referent).or_insert(address);
        }
        let resolve =
            |referent: &Referent| (options.resolve)(referent).or_else(|| objects.get(referent).copied());
        let surroundings = Surroundings {
            session: options.session,
            word_width: options.rules.target.word_width(),
            resolve: &resolve,
            natives: options.natives,
        };
        if let How::Traced(tracer) = &mut self.how {
            tracer.begin(module);
        }
        for phase in Phase::ALL {
            (options.progress)(&phase.to_string());
            if phase == Phase::Lower {
                plan(module, options.rules)?;
                if let How::Traced(tracer) = &mut self.how {
                    tracer.planned(module);
                }
            }
            let rules = options.rules.phase(phase);
            let start = Instant::now();
            let outcome = match &mut self.how {
                How::Patterned => {
                    run(module, &*Patterns::new(context, phase, rules)?, &surroundings, options.trace)
                }
                How::Interpreted => {
                    interpret(module, phase, rules, &surroundings, options.trace, &mut |_, _| ())
                }
                How::Traced(tracer) => tracer.run(module, phase, rules, &surroundings),
            };
            let outcome = outcome.map_err(|error| instead(error, options.rules))?;
            for (rule, (digest, _)) in &outcome.fired {
                self.fired.insert(rule.clone(), digest.clone());
            }
            self.touched.extend(outcome.touched.iter().cloned());
            (self.watch)(&Step { phase, outcome: &outcome, time: start.elapsed(), module });
        }
        Ok(())
    }
}

/// Says of what rules refuse which strategies would deliver it.
fn instead(mut error: DialectError, rules: &RuleSet) -> DialectError {
    if let DialectError::Rejected(rejections) = &mut error {
        for rejection in rejections {
            rejection.instead = rules.instead(&rejection.rule).into_iter().map(str::to_owned).collect();
        }
    }
    error
}
