//! `relo test`: the tests of rules and packs, against what was accepted.

mod coverage_page;
mod settle;
mod tell;
mod watch;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use relo_codegen::read_packs;
use relo_engine::{Library, Pack};
use relo_trial::{
    HEAD, Outcome, Run, Sample, Snapshots, Suite, Tally, coverage, coverage_section, junit, mutants,
    mutants_section, mutate, run as run_tests, untested,
};

use crate::error::{CliError, Failure};
use crate::library::library;
use crate::output;
use crate::report::Reporter;

/// Run the tests of rules and packs
///
/// A test's result is compared with its snapshot; what nobody accepted yet waits in a `.snap.new` beside it. A run
/// without any test fails.
#[derive(Args)]
pub struct Arguments {
    /// The packs to test; all of the folders where none is named
    packs: Vec<String>,
    /// A pack's folder, or a folder of packs [default: `rules`, or the pack in this folder]
    #[arg(long, value_name = "DIR")]
    rules: Vec<PathBuf>,
    /// Where the snapshots are [default: `snapshots` beside a folder of packs, or in a pack's folder]
    #[arg(long, value_name = "DIR")]
    snapshots: Option<PathBuf>,
    /// Only tests with this in `pack.rule "name"`
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Accept all results that are new or changed, and remove snapshots of tests that are gone
    #[arg(long, conflicts_with = "review")]
    accept: bool,
    /// Ask about each result that is new or changed
    #[arg(long)]
    review: bool,
    /// Also warn of rules without a test in which they fire, or without a near miss
    #[arg(long)]
    lint: bool,
    /// Also tell which rules, and which clauses of a `where`, no test exercises
    #[arg(long)]
    coverage: bool,
    /// Write that on the rules' text, as a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also change the rules in small ways, and tell which changes no test notices
    #[arg(long)]
    mutate: bool,
    /// Try so many of the changes only
    #[arg(long, value_name = "NUMBER", requires = "mutate")]
    sample: Option<usize>,
    /// Which: another number, other changes
    #[arg(long, value_name = "NUMBER", requires = "sample", default_value_t = 0)]
    seed: u64,
    /// Write coverage and mutants as a page in Markdown
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "sample"])]
    report: Option<PathBuf>,
    /// Write the outcomes as JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Stay, and after each edit run again what it can affect
    #[arg(long, conflicts_with_all = ["accept", "review", "lint", "coverage", "html", "mutate", "report", "junit"])]
    watch: bool,
    /// How many tests run at the same time [default: as many as there are processors]
    #[arg(long, short, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let folders = folders(arguments)?;
    if arguments.watch {
        let snapshots = Snapshots::new(snapshots_folder(arguments, &folders));
        return watch::watch(arguments, reporter, &folders, &snapshots);
    }
    let (library, findings) = library(&folders)?;
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    let packs = chosen(arguments, &folders, &library)?;
    let mut suite = Suite::gather(&library, packs.iter().copied());
    let findings = std::mem::take(&mut suite.findings);
    let snapshots = Snapshots::new(snapshots_folder(arguments, &folders));
    let gone = if arguments.filter.is_none() { snapshots.orphans(&suite.tests) } else { Vec::new() };
    if let Some(filter) = &arguments.filter {
        suite.retain(|test| test.title().contains(filter.as_str()));
    }
    if suite.tests.is_empty() && findings.is_empty() {
        return Err(Box::new(CliError::NoTests));
    }
    let outcomes = tested(arguments, reporter, &library, &snapshots, &suite);
    if let Some(path) = &arguments.junit {
        let text = junit(&outcomes).map_err(|error| CliError::Write {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        output::write_file(path, text.as_bytes())?;
    }
    for outcome in &outcomes {
        tell::outcome(outcome, reporter);
    }
    let mut settled = settle::settle(arguments, reporter, &snapshots, &outcomes)?;
    for path in &gone {
        if arguments.accept {
            std::fs::remove_file(path).map_err(|error| CliError::Write {
                path: path.display().to_string(),
                reason: error.to_string(),
            })?;
        } else {
            reporter.line(format_args!("no test is left for the snapshot {}", path.display()));
            settled = false;
        }
    }
    if arguments.lint {
        packs.iter().flat_map(|pack| untested(pack)).for_each(|finding| reporter.error(&finding));
    }
    let tally = Tally::of(&outcomes);
    let covered = coverage(&packs, &outcomes);
    if arguments.coverage {
        tell::coverage(&covered, reporter);
    }
    if let Some(path) = &arguments.html {
        output::write_file(path, coverage_page::coverage_page(&covered).as_bytes())?;
    }
    if (arguments.mutate || arguments.report.is_some()) && !tally.is_fine() {
        reporter.note(format_args!("rules are changed once all tests are right"));
    } else if arguments.mutate || arguments.report.is_some() {
        let bar = bar(reporter, 0);
        let sample =
            arguments.sample.map_or(Sample::All, |count| Sample::Some { count, seed: arguments.seed });
        let options = options(arguments, &library, &snapshots);
        let mutation = mutate(&suite, &options, &outcomes, &packs, sample, &|progress| {
            bar.set_length(progress.all as u64);
            bar.set_position(progress.done as u64);
            bar.set_message(format!("{} unnoticed", progress.survived));
        });
        bar.finish_and_clear();
        if arguments.mutate {
            tell::mutation(&mutation, reporter);
        }
        if let Some(path) = &arguments.report {
            let mutants = mutants_section(&mutation, &mutants(&packs));
            let page = format!("{HEAD}{}\n{mutants}", coverage_section(&covered));
            output::write_file(path, page.as_bytes())?;
        }
    }
    if reporter.is_json() {
        reporter.line(serde_json::json!({ "summary": tally }));
    } else {
        reporter.line(tally);
    }
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    if settled { Ok(()) } else { Err(Box::new(CliError::Tests { tally })) }
}

/// The folders of packs: those that are named, or what the current folder is or has.
fn folders(arguments: &Arguments) -> Result<Vec<PathBuf>, Failure> {
    if !arguments.rules.is_empty() {
        return Ok(arguments.rules.clone());
    }
    if Path::new("pack.yaml").exists() {
        return Ok(vec![PathBuf::from(".")]);
    }
    if Path::new("rules").is_dir() {
        return Ok(vec![PathBuf::from("rules")]);
    }
    Err(Box::new(CliError::Argument {
        message: "there are no packs here to test".into(),
        help: "name a pack's folder, or a folder of packs, with --rules".into(),
    }))
}

/// The packs of the folders, as far as they are wanted.
fn chosen<'a>(
    arguments: &Arguments,
    folders: &[PathBuf],
    library: &'a Library,
) -> Result<Vec<&'a Pack>, Failure> {
    let mut files = BTreeSet::new();
    for folder in folders {
        files.extend(read_packs(folder)?.into_iter().map(|pack| pack.yaml.name));
    }
    let here: Vec<&Pack> = library.packs().filter(|pack| files.contains(&pack.yaml.name)).collect();
    if let Some(name) = arguments.packs.iter().find(|name| !here.iter().any(|pack| pack.name == **name)) {
        let names: Vec<&str> = here.iter().map(|pack| pack.name.as_str()).collect();
        return Err(Box::new(CliError::Argument {
            message: format!("there is no pack `{name}` in these folders"),
            help: format!("there are: {}", names.join(", ")),
        }));
    }
    let wanted = |pack: &&Pack| arguments.packs.is_empty() || arguments.packs.contains(&pack.name);
    Ok(here.into_iter().filter(wanted).collect())
}

fn snapshots_folder(arguments: &Arguments, folders: &[PathBuf]) -> PathBuf {
    if let Some(folder) = &arguments.snapshots {
        return folder.clone();
    }
    let folder = folders.first().map_or(Path::new("."), PathBuf::as_path);
    if folder.join("pack.yaml").exists() {
        folder.join("snapshots")
    } else {
        folder.with_file_name("snapshots")
    }
}

fn threads(arguments: &Arguments) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    arguments.jobs.map_or(processors, usize::from)
}

fn options<'a>(arguments: &Arguments, library: &'a Library, snapshots: &'a Snapshots) -> Run<'a> {
    Run { library, snapshots, threads: threads(arguments), interpret: false }
}

/// A bar for people who watch.
fn bar(reporter: &Reporter, count: usize) -> ProgressBar {
    let watched = !reporter.is_json() && std::io::stderr().is_terminal();
    let bar = if watched { ProgressBar::new(count as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Runs the tests, with a bar for people who watch.
fn tested(
    arguments: &Arguments,
    reporter: &Reporter,
    library: &Library,
    snapshots: &Snapshots,
    suite: &Suite,
) -> Vec<Outcome> {
    let bar = bar(reporter, suite.tests.len());
    let options = options(arguments, library, snapshots);
    let outcomes = run_tests(suite, &options, &|outcome| {
        bar.set_message(outcome.test.title());
        bar.inc(1);
    });
    bar.finish_and_clear();
    outcomes
}
