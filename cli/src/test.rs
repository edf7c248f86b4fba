//! `relo test`: the tests of rules and packs, against what was accepted.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use relo_codegen::read_packs;
use relo_engine::{Library, Pack};
use relo_trial::{
    Coverage, Mutation, Outcome, Run, Snapshots, Suite, Tally, Update, Verdict, coverage, difference, junit,
    mutate, run as run_tests, untested,
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
    /// Also change the rules in small ways, and tell which changes no test notices
    #[arg(long)]
    mutate: bool,
    /// Try every so many-th change only
    #[arg(long, value_name = "NUMBER", requires = "mutate", default_value_t = 1)]
    step: usize,
    /// Write the outcomes as JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How many tests run at the same time [default: as many as there are processors]
    #[arg(long, short, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let folders = folders(arguments)?;
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
        report(outcome, reporter);
    }
    let mut settled = settle(arguments, reporter, &snapshots, &outcomes)?;
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
    let covered = arguments.coverage.then(|| coverage(&packs, &outcomes));
    if let Some(covered) = &covered {
        report_coverage(covered, reporter);
    }
    let tally = Tally::of(&outcomes);
    if arguments.mutate && tally.is_fine() {
        let options = Run { library: &library, snapshots: &snapshots, threads: threads(arguments) };
        let bar = bar(reporter, 0);
        let mutation = mutate(&suite, &options, &outcomes, &packs, arguments.step, &|count| {
            bar.set_length(count as u64);
            bar.inc(1);
        });
        bar.finish_and_clear();
        report_mutation(&mutation, reporter);
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
    let options = Run { library, snapshots, threads: threads(arguments) };
    let outcomes = run_tests(suite, &options, &|outcome| {
        bar.set_message(outcome.test.title());
        bar.inc(1);
    });
    bar.finish_and_clear();
    outcomes
}

/// What there is to say of a test: nothing where it is fine, unless a program reads it.
fn report(outcome: &Outcome, reporter: &Reporter) {
    let test = &outcome.test;
    if reporter.is_json() {
        reporter.line(serde_json::json!({
            "pack": test.pack,
            "rule": test.rule,
            "test": test.name,
            "outcome": outcome.verdict.name(),
            "file": &*test.source.name,
            "line": test.line(),
            "milliseconds": outcome.time.as_millis() as u64,
            "fired": outcome.observed.rules(),
            "detail": detail(outcome),
        }));
    } else if !outcome.verdict.is_fine() {
        let place = format!("{}:{}", test.source.name, test.line());
        reporter.line(format_args!("{}: {} ({place})", outcome.verdict.name(), test.title()));
        for line in detail(outcome).unwrap_or_default().lines() {
            reporter.line(format_args!("    {line}"));
        }
        reporter.line("");
    }
}

/// What a reader needs to see why.
fn detail(outcome: &Outcome) -> Option<String> {
    match &outcome.verdict {
        Verdict::Right | Verdict::Todo => None,
        Verdict::Wrong { accepted } => Some(difference(accepted, &outcome.text)),
        Verdict::Broken { reason } => Some(reason.clone()),
        Verdict::TodoWorks => Some("it works: remove `todo`, and accept what comes out".into()),
        Verdict::New | Verdict::DidNotFire | Verdict::FiredWhereItMustNot => Some(outcome.text.clone()),
    }
}

fn report_coverage(covered: &Coverage, reporter: &Reporter) {
    if reporter.is_json() {
        for rule in &covered.rules {
            let idle: Vec<_> =
                rule.idle().map(|(line, text)| serde_json::json!({ "line": line, "clause": text })).collect();
            reporter.line(serde_json::json!({
                "rule": rule.rule, "file": &*rule.source.name, "line": rule.line(), "fires": rule.fires, "idle": idle,
            }));
        }
        return;
    }
    for rule in &covered.rules {
        if !rule.fires {
            reporter.line(format_args!(
                "{} fires in no test ({}:{})",
                rule.rule,
                rule.source.name,
                rule.line()
            ));
        }
        for (line, text) in rule.idle() {
            reporter
                .line(format_args!("{}: no test fails at `{text}` ({}:{line})", rule.rule, rule.source.name));
        }
    }
    let (rules, clauses) = (covered.rules_covered(), covered.clauses_covered());
    reporter.line(format_args!("coverage: {rules:.1} % of rules, {clauses:.1} % of clauses"));
}

fn report_mutation(mutation: &Mutation, reporter: &Reporter) {
    for mutant in &mutation.survivors {
        let old = mutant.source.text[mutant.span.range()].trim();
        if reporter.is_json() {
            reporter.line(serde_json::json!({
                "survivor": mutant.rule, "file": &*mutant.source.name, "line": mutant.line(), "what": mutant.what,
                "old": old, "new": mutant.replacement.trim(),
            }));
        } else {
            let place = format!("{}:{}", mutant.source.name, mutant.line());
            let change = format!("`{old}` -> `{}`", mutant.replacement.trim());
            reporter.line(format_args!(
                "{}: no test notices that {}: {change} ({place})",
                mutant.rule, mutant.what
            ));
        }
    }
    let count = mutation.caught + mutation.survivors.len();
    if reporter.is_json() {
        reporter.line(
            serde_json::json!({ "mutants": count, "caught": mutation.caught, "score": mutation.score() }),
        );
    } else {
        let (caught, score) = (mutation.caught, mutation.score());
        reporter.line(format_args!("mutation: {caught} of {count} mutants caught, {score:.1} %"));
    }
}

/// Accepts, asks or leaves for later. Tells whether nothing is left to be done.
fn settle(
    arguments: &Arguments,
    reporter: &Reporter,
    snapshots: &Snapshots,
    outcomes: &[Outcome],
) -> Result<bool, Failure> {
    let update = if arguments.accept { Update::Accept } else { Update::Pending };
    for outcome in outcomes {
        if let Some(path) = snapshots.update(outcome, update)? {
            let done = if arguments.accept { "accepted" } else { "waits for --review or --accept" };
            reporter.note(format_args!("{}: {done}", path.display()));
        }
    }
    let pending = |outcome: &&Outcome| matches!(outcome.verdict, Verdict::New | Verdict::Wrong { .. });
    let mut open = outcomes.iter().filter(|outcome| !outcome.verdict.is_fine() && !pending(outcome)).count();
    if arguments.review {
        open += review(reporter, snapshots)?;
    } else if !arguments.accept {
        open += outcomes.iter().filter(pending).count();
    }
    Ok(open == 0)
}

/// Asks about each result that waits; tells how many still do.
fn review(reporter: &Reporter, snapshots: &Snapshots) -> Result<usize, Failure> {
    let mut left = 0;
    for pending in snapshots.pending()? {
        reporter.line(format_args!("{}", pending.new.display()));
        reporter.line(difference(pending.accepted.as_deref().unwrap_or_default(), &pending.text));
        reporter.line("[a]ccept, [r]eject, or anything else to skip?");
        let mut answer = String::new();
        std::io::stdin()
            .read_line(&mut answer)
            .map_err(|error| CliError::Read { path: "standard input".into(), reason: error.to_string() })?;
        match answer.trim() {
            "a" | "accept" => {
                pending.accept()?;
            }
            "r" | "reject" => {
                pending.reject()?;
                left += 1;
            }
            _ => left += 1,
        }
    }
    Ok(left)
}
