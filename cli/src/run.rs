//! `relo run`: load an artifact in this process, and call it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use relo_loader::{
    Chain, Fixed, Manifest, Policy, Process, Resolver, Signature, apply_addend, load, load_portable,
};
use relo_referent::Referent;
use serde::Deserialize;

use crate::error::{CliError, Failure, read_text};
use crate::output::manifest_path;
use crate::report::Reporter;

/// Load an artifact in this process, resolve its referents and call a function
///
/// Prints what the function returns, then what it wrote to its `out` parameters.
#[derive(Args)]
pub struct Arguments {
    /// The shared object
    artifact: PathBuf,
    /// The function to call
    #[arg(long, value_name = "NAME")]
    entry: String,
    /// The function's type, as in `i32 (out f64, ptr, f64)`
    #[arg(long, value_name = "TYPE", default_value = "void ()")]
    signature: String,
    /// The manifest [default: ARTIFACT.reloc.json]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// A library that the manifest may have loaded
    #[arg(long, value_name = "LIB")]
    allow: Vec<String>,
    /// What the host's objects are here: {"entries": [{"target", "is": {"symbol": …} | {"word": "0x…"}}]}
    #[arg(long, value_name = "TABLE.json")]
    resolve: Option<PathBuf>,
    /// Load an artifact that is valid in one session only: its words have to be the same here
    #[arg(long)]
    bound: bool,
    /// The arguments
    #[arg(allow_hyphen_values = true)]
    arguments: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    target: Referent,
    is: Meaning,
}

/// What a referent is in this process.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Meaning {
    Symbol { name: String, library: Option<String> },
    Word(String),
}

#[expect(unsafe_code, reason = "calling foreign code is what the command is for")]
pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let signature = Signature::parse(&arguments.signature)?;
    let path = arguments.manifest.clone().unwrap_or_else(|| manifest_path(&arguments.artifact));
    let text = read_text(&path)?;
    let manifest = Manifest::parse(&text, &path.display().to_string())?;
    let policy = Policy::Allow(arguments.allow.iter().cloned().collect());
    let process = Process { policy };
    let mut chain = Chain::default();
    if let Some(path) = &arguments.resolve {
        chain.0.push(Box::new(table(path, &process)?));
    }
    chain.0.push(Box::new(process));
    let load = if arguments.bound { load } else { load_portable };
    let image = load(&arguments.artifact, &manifest, &chain)?;
    let inputs: Vec<_> = signature.parameters.iter().filter(|(_, out)| !out).collect();
    if inputs.len() != arguments.arguments.len() {
        let message = format!(
            "`{}` takes {} arguments, not {}",
            arguments.entry,
            inputs.len(),
            arguments.arguments.len()
        );
        return Err(Box::new(relo_loader::LoadError::Signature { message }));
    }
    let values = inputs
        .iter()
        .zip(&arguments.arguments)
        .map(|((scalar, _), text)| scalar.value(text))
        .collect::<Result<Vec<_>, _>>()?;
    // SAFETY: the user says what the function's type is.
    let (result, outs) = unsafe { image.call(&arguments.entry, &signature, &values) }?;
    if reporter.is_json() {
        let outs: Vec<String> = outs.iter().map(ToString::to_string).collect();
        reporter.line(serde_json::json!({ "result": result.map(|value| value.to_string()), "out": outs }));
        return Ok(());
    }
    if let Some(result) = result {
        reporter.line(result);
    }
    for out in outs {
        reporter.line(format_args!("out {out}"));
    }
    Ok(())
}

/// The words of a table: symbols are looked up now.
fn table(path: &std::path::Path, process: &dyn Resolver) -> Result<Fixed, Failure> {
    let text = read_text(path)?;
    let wrong = |message: String| -> Failure {
        Box::new(CliError::Argument {
            message: format!("`{}`: {message}", path.display()),
            help: "a table is {\"entries\": [{\"target\": REFERENT, \"is\": {\"symbol\": {\"name\", \"library\"?}} | \
                   {\"word\": \"0x…\"}}]}"
                .into(),
        })
    };
    let table: Table = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut words = BTreeMap::new();
    for Entry { target, is } in table.entries {
        let word = match is {
            Meaning::Word(text) => u64::from_str_radix(text.trim_start_matches("0x"), 16)
                .map_err(|_| wrong(format!("`{text}` is no word")))?,
            Meaning::Symbol { name, library } => {
                let symbol = Referent::Symbol { name, library, addend: 0 };
                let resolved = apply_addend(process, &symbol).map_err(wrong)?;
                // The table lives as long as the process: so does what it names.
                std::mem::forget(resolved.root);
                resolved.word
            }
        };
        words.insert(target, word);
    }
    Ok(Fixed(words))
}
