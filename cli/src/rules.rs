//! `relo rules`: what a target's rules are, and in which order they are tried.

use std::path::PathBuf;

use clap::Args;
use relo_dialect::{Checker, Context, Patterns};
use relo_engine::Request;
use relo_engine::normal::Phase;

use crate::error::{CliError, Failure};
use crate::library::library;
use crate::report::Reporter;

/// List a target's rules, phase by phase, in the order in which they are tried
#[derive(Args)]
pub struct Arguments {
    /// The target; `relo targets` lists them
    #[arg(long, short, value_name = "TARGET")]
    target: String,
    /// A pack's folder, or a folder of packs
    #[arg(long, value_name = "DIR")]
    rules: Vec<PathBuf>,
    /// A front end's pack to use
    #[arg(long = "use", value_name = "PACK")]
    packs: Vec<String>,
    /// Print the PDL that the rules compile to
    #[arg(long)]
    pdl: bool,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let (library, findings) = library(&arguments.rules)?;
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    let request = Request {
        target: arguments.target.clone(),
        packs: arguments.packs.clone(),
        with_session: true,
        placeholders: true,
        ..Request::default()
    };
    let (rules, _) = Checker::default().rules(&library, &request)?;
    let context = Context::new();
    for phase in Phase::ALL {
        if arguments.pdl {
            let patterns = Patterns::new(&context, phase, rules.phase(phase))?;
            reporter.line(format_args!("// {phase}\n{}", patterns.text()));
            continue;
        }
        for rule in rules.phase(phase) {
            if reporter.is_json() {
                reporter.line(serde_json::json!({
                    "rule": rule.path, "phase": phase.name(), "root": rule.root().name, "digest": rule.digest,
                }));
            } else {
                reporter.line(format_args!("{:<8}{:<40}{}", phase.name(), rule.path, rule.root().name));
            }
        }
    }
    Ok(())
}
