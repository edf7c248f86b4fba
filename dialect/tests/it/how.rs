//! The two ways in which rules run.

use relo_dialect::{DialectError, Module, Outcome, Patterns, Surroundings, interpret, run};
use relo_engine::normal::{Phase, Rule};

/// How a phase runs.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Compiled to PDL.
    Patterned,
    /// By the reference interpreter.
    Interpreted,
}

impl How {
    /// Runs a phase.
    pub fn run(
        self,
        module: &mut Module<'_>,
        phase: Phase,
        rules: &[Rule],
        surroundings: &Surroundings<'_>,
    ) -> Result<Outcome, DialectError> {
        match self {
            Self::Patterned => {
                let patterns = Patterns::new(module.context(), phase, rules)?;
                run(module, &patterns, surroundings, true)
            }
            Self::Interpreted => interpret(module, phase, rules, surroundings, true, &mut |_, _| ()),
        }
    }
}
