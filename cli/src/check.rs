//! `relo check`: the static checks, without compiling anything.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use relo_dialect::Checker;
use relo_engine::{Finding, Library, RuleSet, RuleSetError};
use relo_trial::parallel;

use crate::coverage;
use crate::error::{CliError, Failure};
use crate::library::{library, whole};
use crate::report::Reporter;

/// Check packs: syntax, names, captures, and what the rules of a target are like together
///
/// Every pack is checked for each target that it takes part in; all findings come at once: rules that never fire, rules that
/// feed themselves, rules that match the same operation, fields that are dropped, sites that no rule answers.
#[derive(Args)]
pub struct Arguments {
    /// The packs to check; all where none is named
    packs: Vec<String>,
    /// A pack's folder, or a folder of packs
    #[arg(long, value_name = "DIR")]
    rules: Vec<PathBuf>,
    /// Print what becomes of each kind of site and referent under each strategy, target by target
    #[arg(long)]
    coverage: bool,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let (library, mut findings) = library(&arguments.rules)?;
    for name in &arguments.packs {
        if library.pack(name).is_none() {
            let names: Vec<&str> = library.packs().map(|pack| pack.name.as_str()).collect();
            return Err(Box::new(RuleSetError::UnknownPack {
                name: name.clone(),
                help: format!("there are: {}", names.join(", ")),
            }));
        }
    }
    let mut cells = Vec::new();
    for (target, checked) in checked(&library) {
        match checked {
            Ok((set, warnings)) => {
                cells.push((target, set.cells));
                findings.extend(warnings);
            }
            Err(RuleSetError::Findings { findings: found, cells: found_cells, .. }) => {
                cells.push((target, found_cells));
                findings.extend(found);
            }
            Err(error) => return Err(Box::new(error)),
        }
    }
    if arguments.coverage {
        cells.iter().for_each(|(target, cells)| coverage::print(target, cells, reporter));
    }
    let findings = wanted(findings, &arguments.packs);
    if findings.is_empty() {
        let packs: Vec<&str> = library
            .packs()
            .map(|pack| pack.name.as_str())
            .filter(|name| arguments.packs.is_empty() || arguments.packs.iter().any(|wanted| wanted == name))
            .collect();
        reporter.note(format_args!("{}: no findings", packs.join(", ")));
        return Ok(());
    }
    Err(Box::new(CliError::Findings { count: findings.len(), findings }))
}

type Checked = Result<(RuleSet, Vec<Finding>), RuleSetError>;

/// What there is to say of the rules for each target, in the order of the targets: several are checked at the same time.
fn checked(library: &Library) -> Vec<(String, Checked)> {
    let checker = Checker::default();
    let targets: Vec<String> = library.targets().map(|(_, target)| target.name.clone()).collect();
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let work = |(): &mut (), target: &String| checker.rules(library, &whole(library, target));
    let checked = parallel(&targets, threads, || (), work);
    targets.into_iter().zip(checked).collect()
}

/// Each finding once, whatever the number of targets; those of the packs that were asked for.
fn wanted(findings: Vec<Finding>, packs: &[String]) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    findings
        .into_iter()
        .filter(|finding| {
            let name = finding.source.name.to_string();
            let place = finding.labels.first().map(|label| label.span);
            let asked = packs.is_empty() || packs.iter().any(|pack| name.split('/').any(|part| part == pack));
            asked && seen.insert((name, place, finding.code, finding.message.clone()))
        })
        .collect()
}
