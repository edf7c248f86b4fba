//! The `relo` command: one file a subcommand. The only place that prints.

mod batch;
mod cache;
mod check;
mod compile;
mod completions;
mod coverage;
mod depfile;
mod diff;
mod doc;
mod error;
mod explain;
mod fmt;
mod input;
mod inspect;
mod library;
mod link;
mod new;
mod output;
mod page;
mod profile;
mod report;
mod rules;
mod run;
mod targets;
mod test;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::report::{Format, Reporter};

/// Compiled code that survives the session that compiled it.
///
/// relo keeps host references - addresses of objects, type tags and runtime globals - symbolic until the last lowering,
/// and leaves each target's loader what it needs to fill them in. How is written in rules: see `relo targets`.
#[derive(Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
struct Cli {
    /// How diagnostics and results are written
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Compile(compile::Arguments),
    Link(link::Arguments),
    Run(run::Arguments),
    Inspect(inspect::Arguments),
    Cache(cache::Arguments),
    Check(check::Arguments),
    Test(test::Arguments),
    Trace(trace::Arguments),
    Diff(diff::Arguments),
    Fmt(fmt::Arguments),
    Rules(rules::Arguments),
    Targets(targets::Arguments),
    New(new::Arguments),
    Doc(doc::Arguments),
    Explain(explain::Arguments),
    Completions(completions::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let reporter = Reporter::new(cli.format);
    // LLVM may end the process that it is called in.
    let isolated = matches!(cli.command, Command::Trace(_) | Command::Diff(_));
    let work = || run(cli.command, &reporter);
    if !isolated {
        return ExitCode::from(work());
    }
    ExitCode::from(relo_codegen::isolated(work, reporter.tell()).unwrap_or_else(|error| {
        reporter.error(&error);
        1
    }))
}

/// The exit code of a command, which has told of what went wrong.
fn run(command: Command, reporter: &Reporter) -> u8 {
    let result = match command {
        Command::Compile(arguments) => match compile::run(&arguments, reporter) {
            // What failed has been told of where it failed.
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        Command::Link(arguments) => link::run(&arguments),
        Command::Run(arguments) => run::run(&arguments, reporter),
        Command::Cache(arguments) => cache::run(&arguments, reporter),
        Command::Inspect(arguments) => inspect::run(&arguments, reporter),
        Command::Check(arguments) => check::run(&arguments, reporter),
        Command::Test(arguments) => test::run(&arguments, reporter),
        Command::Diff(arguments) => diff::run(&arguments, reporter),
        Command::Trace(arguments) => trace::run(&arguments, reporter),
        Command::Fmt(arguments) => fmt::run(&arguments, reporter),
        Command::Rules(arguments) => rules::run(&arguments, reporter),
        Command::Targets(arguments) => targets::run(&arguments, reporter),
        Command::New(arguments) => new::run(&arguments, reporter),
        Command::Doc(arguments) => doc::run(&arguments, reporter),
        Command::Explain(arguments) => explain::run(&arguments, reporter),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match result {
        Ok(()) => 0,
        Err(error) => {
            reporter.error(&*error);
            1
        }
    }
}
