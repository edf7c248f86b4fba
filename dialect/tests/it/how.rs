//! Rules of a file, and the two ways in which they run.

use relo_dialect::{
    DialectError, Module, OdsSchema, Outcome, Patterns, Surroundings, interpret, run, signatures,
};
use relo_engine::normal::{Phase, Rule};
use relo_engine::{Library, PackSource, Request, RuleSet, RuleSetError};
use relo_grammar::span::Source;

/// The rules of one file, in a pack of its own without strategies.
pub fn rules(file: &str) -> Result<RuleSet, RuleSetError> {
    const YAML: &str = "pack: t\ntargets:\n  x:\n    triple: x86_64-unknown-linux-gnu\n    emit: object\n    strategies: []\n";
    let pack =
        PackSource { yaml: Source::new("t/pack.yaml", YAML), files: vec![Source::new("t/t.relo", file)] };
    let (library, _) = Library::new(&[pack]);
    let request = Request { target: "x".into(), ..Request::default() };
    RuleSet::new(&library, &request, &signatures(), &OdsSchema).map(|(rules, _)| rules)
}

/// How a phase runs.
#[derive(Clone, Copy, Debug)]
pub enum How {
    /// Compiled to PDL.
    Patterned,
    /// The same, each rule in a set of its own.
    Separately,
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
            Self::Separately => {
                let patterns = Patterns::in_sets_of(1, module.context(), phase, rules)?;
                run(module, &patterns, surroundings, true)
            }
            Self::Interpreted => interpret(module, phase, rules, surroundings, true, &mut |_, _| ()),
        }
    }
}
