//! `relo inspect`: a manifest, readable.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use relo_loader::{Manifest, read_artifact};

use crate::error::{Failure, read_text};
use crate::output::manifest_path;
use crate::report::Reporter;

/// Show an artifact's manifest
///
/// An artifact that is not the manifest's is refused.
#[derive(Args)]
pub struct Arguments {
    /// The artifact, or its manifest
    artifact: PathBuf,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let given = arguments.artifact.to_string_lossy();
    let (artifact, path) = match given.strip_suffix(".reloc.json") {
        Some(artifact) => (PathBuf::from(artifact), arguments.artifact.clone()),
        None => (arguments.artifact.clone(), manifest_path(&arguments.artifact)),
    };
    let text = read_text(&path)?;
    let manifest = Manifest::parse(&text, &path.display().to_string())?;
    // A manifest may be looked at alone.
    if artifact == arguments.artifact || artifact.exists() {
        read_artifact(&artifact, &manifest)?;
    }
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
    for argument in &manifest.arguments {
        let (entry, place, table) = (&argument.entry, argument.argument, &argument.table);
        reporter.line(format_args!(
            "{entry} takes the address of {table} as its argument {place}, counted from 0"
        ));
    }
    // Only code and loader that share an order have numbers.
    let is_ordered = manifest.sites.iter().any(|site| site.index.is_some());
    let mut table = Table::new();
    let heads = ["SYMBOL", "OFFSET", "WIDTH", "ACTION", "INDEX", "STRATEGY", "REFERENT"];
    let shown = |column: &usize| is_ordered || heads[*column] != "INDEX";
    let columns: Vec<usize> = (0..heads.len()).filter(shown).collect();
    table.load_preset(NOTHING).set_header(columns.iter().map(|column| heads[*column]));
    for site in &manifest.sites {
        let row = [
            site.symbol.clone(),
            site.offset.to_string(),
            site.width.to_string(),
            site.action.name().to_owned(),
            site.index.map(|index| index.to_string()).unwrap_or_default(),
            site.strategy.clone(),
            format!("#reloc.{}", manifest.referents[site.referent]),
        ];
        table.add_row(columns.iter().map(|column| &row[*column]));
    }
    reporter.line(table);
    Ok(())
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}
