//! `relo targets`: what can be compiled for.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;

use crate::error::{CliError, Failure};
use crate::library::library;
use crate::report::Reporter;

/// List the targets, and the packs that define them
#[derive(Args)]
pub struct Arguments {
    /// A pack's folder, or a folder of packs
    #[arg(long, value_name = "DIR")]
    rules: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let (library, findings) = library(&arguments.rules)?;
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["TARGET", "PACK", "TRIPLE", "CPU", "EMITS", "STRATEGIES"]);
    for (pack, target) in library.targets() {
        let mut strategies: Vec<&str> =
            target.strategies.iter().map(|choice| choice.strategy.as_str()).collect();
        strategies.dedup();
        if reporter.is_json() {
            reporter.line(serde_json::json!({
                "target": target.name, "pack": pack.name, "about": pack.about, "triple": target.triple,
                "cpu": target.cpu, "emit": target.emit, "strategies": strategies,
            }));
        }
        table.add_row([
            target.name.clone(),
            pack.name.clone(),
            target.triple.clone(),
            target.cpu.clone(),
            target.emit.join(", "),
            strategies.join(", "),
        ]);
    }
    if !reporter.is_json() {
        reporter.line(table);
    }
    Ok(())
}
