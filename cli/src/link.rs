//! `relo link`: several modules become one, relocations and all.

use std::path::{Path, PathBuf};

use clap::Args;
use relo_codegen::{Emit, LinkInput, link};

use crate::error::{Failure, read};
use crate::output;

/// Merge modules of LLVM IR, relocations and all
///
/// Inputs are what `relo compile` writes with a strategy that leaves relocations to the IR, or what other tools made of
/// it: LLVM IR or bitcode with `!reloc.sites`. They are compared before anything is merged: slots with the same meaning
/// become one, and a name that means two things is an error.
#[derive(Args)]
pub struct Arguments {
    /// The modules: .ll or .bc
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Where to write the linked module; text if it ends in .ll, bitcode otherwise
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// What to write: llvm or bitcode
    #[arg(long, value_name = "KIND")]
    emit: Option<String>,
    /// Take of the second module and those after it only what is missing so far
    #[arg(long)]
    only_needed: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let kind: Emit = match &arguments.emit {
        Some(kind) => kind.parse()?,
        None if arguments.output.extension().is_some_and(|extension| extension == "ll") => Emit::Llvm,
        None => Emit::Bitcode,
    };
    let name = |path: &Path| path.display().to_string();
    let read: Vec<(String, Vec<u8>)> = arguments
        .inputs
        .iter()
        .map(|path| Ok((name(path), read(path)?)))
        .collect::<Result<_, crate::error::CliError>>()?;
    let inputs: Vec<LinkInput<'_>> = read.iter().map(|(name, bytes)| LinkInput { name, bytes }).collect();
    let linked = link(&inputs, arguments.only_needed, kind)?;
    output::write_file(&arguments.output, &linked)?;
    Ok(())
}
