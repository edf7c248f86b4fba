//! `relo inspect`: a manifest, readable.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use relo_loader::Manifest;

use crate::error::{Failure, read_text};
use crate::output::manifest_path;
use crate::report::Reporter;

/// Show an artifact's manifest
#[derive(Args)]
pub struct Arguments {
    /// The artifact, or its manifest
    artifact: PathBuf,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let is_manifest = arguments.artifact.to_string_lossy().ends_with(".reloc.json");
    let path = if is_manifest { arguments.artifact.clone() } else { manifest_path(&arguments.artifact) };
    let text = read_text(&path)?;
    let manifest = Manifest::parse(&text, &path.display().to_string())?;
    if reporter.is_json() {
        reporter.line(manifest.to_json().trim_end());
        return Ok(());
    }
    let target = &manifest.target;
    reporter.line(format_args!(
        "{} for {} ({}, {})",
        manifest.artifact.kind, target.name, target.triple, target.cpu
    ));
    reporter.line(format_args!("{} bytes, BLAKE3 {}", manifest.artifact.size, manifest.artifact.blake3));
    reporter.line(if manifest.portable {
        "valid in any session"
    } else {
        "valid in the session that compiled it only"
    });
    reporter.line(format_args!("offers {}", list(&manifest.entries)));
    reporter.line(format_args!(
        "made by {}",
        list(&manifest.rules.iter().map(|rule| rule.rule.clone()).collect::<Vec<_>>())
    ));
    if manifest.sites.is_empty() {
        reporter.line("no words to relocate");
        return Ok(());
    }
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(["SYMBOL", "OFFSET", "WIDTH", "ACTION", "STRATEGY", "REFERENT"]);
    for site in &manifest.sites {
        table.add_row([
            site.symbol.clone(),
            site.offset.to_string(),
            site.width.to_string(),
            site.action.name().to_owned(),
            site.strategy.clone(),
            format!("#reloc.{}", manifest.referents[site.referent]),
        ]);
    }
    reporter.line(table);
    Ok(())
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
