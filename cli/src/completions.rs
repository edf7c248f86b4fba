//! `relo completions`: for the shell.

use clap::{Args, CommandFactory as _};

use crate::Cli;
use crate::error::Failure;

/// Write a shell's completion script to standard output
#[derive(Args)]
pub struct Arguments {
    /// The shell
    shell: clap_complete::Shell,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    clap_complete::generate(arguments.shell, &mut Cli::command(), "relo", &mut std::io::stdout());
    Ok(())
}
