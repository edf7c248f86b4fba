//! `relo doc`: a pack's page, from the doc comments of its rules; and the natives that rules can call.

mod page;

use std::path::PathBuf;

use clap::Args;
use relo_dialect::signatures;
use relo_engine::{Effect, Kind, Signature};

use crate::error::{CliError, Failure};
use crate::library::library;
use crate::output;
use crate::report::Reporter;

/// Write a pack's page, in Markdown, from its doc comments
///
/// Targets, parameters, strategies and rules, phase by phase, with the order between them and its reasons.
#[derive(Args)]
pub struct Arguments {
    /// The packs; all where none is named
    packs: Vec<String>,
    /// A pack's folder, or a folder of packs
    #[arg(long, value_name = "DIR")]
    rules: Vec<PathBuf>,
    /// Write each page into this folder, as PACK.md
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The natives instead: what rules can ask and build, with their types
    #[arg(long, conflicts_with_all = ["packs", "rules"])]
    natives: bool,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    if arguments.natives {
        return give("natives", &natives(reporter), arguments, reporter);
    }
    let (library, findings) = library(&arguments.rules)?;
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    let names: Vec<&str> = library.packs().map(|pack| pack.name.as_str()).collect();
    if let Some(unknown) = arguments.packs.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(Box::new(CliError::Argument {
            message: format!("there is no pack `{unknown}`"),
            help: format!("there are: {}", names.join(", ")),
        }));
    }
    for pack in library.packs() {
        if arguments.packs.is_empty() || arguments.packs.contains(&pack.name) {
            give(&pack.name, &page::page(pack), arguments, reporter)?;
        }
    }
    Ok(())
}

fn give(name: &str, text: &str, arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    match &arguments.output {
        Some(folder) => {
            let path = folder.join(format!("{name}.md"));
            output::write_file(&path, text.as_bytes())?;
            reporter.line(path.display());
        }
        None if reporter.is_json() && !arguments.natives => {
            reporter.line(serde_json::json!({ "pack": name, "page": text }));
        }
        None => reporter.line(text.trim_end()),
    }
    Ok(())
}

fn natives(reporter: &Reporter) -> String {
    if reporter.is_json() {
        let lines: Vec<String> = signatures().values().map(|native| json(native).to_string()).collect();
        return lines.join("\n");
    }
    let mut text =
        "# Natives\n\nThe functions that rules call. Written by `relo doc --natives`.\n".to_owned();
    let kinds = [
        (Effect::Pure, "In conditions", "They only look. One without an answer makes its condition fail."),
        (Effect::Builder, "In rewrites", "They build, and can't fail."),
    ];
    for (effect, heading, about) in kinds {
        text += &format!("\n## {heading}\n\n{about}\n");
        for (name, native) in signatures().iter().filter(|(_, native)| native.effect == effect) {
            text += &format!("\n### `{name}`\n\n    {}\n\n{}\n", spelled(native), native.doc);
            let facts = facts(native);
            if !facts.is_empty() {
                text += &format!("\n{facts}\n");
            }
        }
    }
    text
}

/// What is declared of a native, and used by the checker.
fn facts(native: &Signature) -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let mut facts = Vec::new();
    if native.total {
        facts.push("Always has an answer.".to_owned());
    }
    for (names, what) in [
        (&native.implies, "Where it holds, so do"),
        (&native.disjoint, "Holds nowhere where these do:"),
        (&native.builds, "May build"),
    ] {
        if !names.is_empty() {
            facts.push(format!("{what} {}.", list(names)));
        }
    }
    facts.join(" ")
}

/// `base(pointer: value) -> symbol`.
fn spelled(native: &Signature) -> String {
    let parameters: Vec<String> =
        native.parameters.iter().map(|(name, kind)| format!("{name}: {}", word(*kind))).collect();
    let results: Vec<&str> = native.results.iter().map(|kind| word(*kind)).collect();
    let arrow = if results.is_empty() { String::new() } else { format!(" -> {}", results.join(", ")) };
    format!("{}({}){arrow}", native.name, parameters.join(", "))
}

fn json(native: &Signature) -> serde_json::Value {
    let parameters: Vec<_> = native
        .parameters
        .iter()
        .map(|(name, kind)| serde_json::json!({ "name": name, "kind": word(*kind) }))
        .collect();
    let results: Vec<&str> = native.results.iter().map(|kind| word(*kind)).collect();
    serde_json::json!({
        "native": native.name,
        "parameters": parameters,
        "results": results,
        "pure": native.effect == Effect::Pure,
        "total": native.total,
        "implies": native.implies,
        "disjoint": native.disjoint,
        "builds": native.builds,
        "doc": native.doc,
    })
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Any => "any",
        Kind::Value => "value",
        Kind::Symbol => "symbol",
        Kind::Type => "type",
        Kind::Attribute => "attribute",
        Kind::Int => "number",
        Kind::Str => "text",
        Kind::Bool => "truth",
        Kind::Referent => "referent",
        Kind::List => "list",
        Kind::Dictionary => "attributes",
        Kind::Regex => "regex",
        Kind::Contents => "contents",
    }
}
