//! `relo test --watch`: after each edit of a rule, the tests that it can affect.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher as _};
use relo_codegen::read_packs;
use relo_engine::{Finding, Library, PackSource};
use relo_trial::{Rerun, Snapshots, Suite, Tally, Update};

use super::{Arguments, chosen, options, snapshots_folder, tell};
use crate::error::{CliError, Failure};
use crate::library::library;
use crate::report::Reporter;

/// An edit is over when this long nothing was written: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(15);

/// Runs until it is interrupted.
pub fn watch(
    arguments: &Arguments,
    reporter: &Reporter,
    folders: &[PathBuf],
    snapshots: &Snapshots,
) -> Result<(), Failure> {
    let (changes, _watcher) = changes(folders, &snapshots_folder(arguments, folders))?;
    let mut sources = read(folders)?;
    let (mut packs, findings) = library(folders)?;
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    let start = Instant::now();
    let suite = gathered(arguments, folders, &packs)?;
    let mut tests = Rerun::new(suite, &options(arguments, &packs, snapshots));
    let all: Vec<usize> = (0..tests.outcomes().len()).collect();
    tell(reporter, &tests, &all, start);
    while changes.recv().is_ok() {
        let start = Instant::now();
        while changes.recv_timeout(QUIET).is_ok() {}
        // A folder that is being replaced may be gone for a moment.
        let Ok(now) = read(folders) else { continue };
        let (library, findings) = match changed(&packs, &sources, &now, folders) {
            Ok(changed) => changed,
            Err(error) => {
                reporter.error(&*error);
                continue;
            }
        };
        let edited = now != sources;
        sources = now;
        if !findings.is_empty() {
            broken(reporter, &findings);
            continue;
        }
        let suite = gathered(arguments, folders, &library)?;
        match tests.again(suite, &options(arguments, &library, snapshots)) {
            Ok(ran) => {
                for index in &ran {
                    snapshots.update(&tests.outcomes()[*index], Update::Pending)?;
                }
                if edited || !ran.is_empty() {
                    tell(reporter, &tests, &ran, start);
                }
                packs = library;
            }
            Err(findings) => broken(reporter, &findings),
        }
    }
    Ok(())
}

/// Tells whenever something in the folders is written, or a snapshot is accepted.
fn changes(
    folders: &[PathBuf],
    snapshots: &Path,
) -> Result<(Receiver<()>, notify::RecommendedWatcher), Failure> {
    let (sender, receiver) = channel();
    let fail = |error: notify::Error| CliError::Argument {
        message: format!("can't watch the folders of packs: {error}"),
        help: "run without --watch".into(),
    };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let ours = |path: &PathBuf| {
            let extension = path.extension().unwrap_or_default();
            ["relo", "yaml", "mlir", "ll", "json", "snap"].iter().any(|known| extension == *known)
        };
        if event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(ours)) {
            // Nobody listens any more when the run is over.
            let _ = sender.send(());
        }
    })
    .map_err(fail)?;
    let apart = snapshots.is_dir() && !folders.iter().any(|folder| snapshots.starts_with(folder));
    for folder in folders.iter().map(PathBuf::as_path).chain(apart.then_some(snapshots)) {
        watcher.watch(folder, RecursiveMode::Recursive).map_err(fail)?;
    }
    Ok((receiver, watcher))
}

fn read(folders: &[PathBuf]) -> Result<Vec<PackSource>, Failure> {
    let mut sources = Vec::new();
    for folder in folders {
        sources.extend(read_packs(folder)?);
    }
    Ok(sources)
}

/// The library as it is now: what did not change is not read again.
fn changed(
    library: &Library,
    before: &[PackSource],
    now: &[PackSource],
    folders: &[PathBuf],
) -> Result<(Library, Vec<Finding>), Failure> {
    let names = |sources: &[PackSource]| -> Vec<String> {
        sources.iter().flat_map(|pack| &pack.files).map(|file| file.name.to_string()).collect()
    };
    let yaml = |sources: &[PackSource]| sources.iter().map(|pack| pack.yaml.clone()).collect::<Vec<_>>();
    if names(before) != names(now) || yaml(before) != yaml(now) {
        return crate::library::library(folders);
    }
    let (mut library, mut findings) = (library.clone(), Vec::new());
    for file in now.iter().flat_map(|pack| &pack.files) {
        // Against what is in use: a broken file's text is known, and was never taken.
        let in_use = library.packs().flat_map(|pack| &pack.files).any(|(source, _)| source == file);
        if !in_use && let Some((with_it, found)) = library.with_file(file) {
            library = with_it;
            findings.extend(found);
        }
    }
    Ok((library, findings))
}

fn gathered(arguments: &Arguments, folders: &[PathBuf], library: &Library) -> Result<Suite, Failure> {
    let packs = chosen(arguments, folders, library)?;
    let mut suite = Suite::gather(library, packs);
    if let Some(filter) = &arguments.filter {
        suite.retain(|test| test.title().contains(filter.as_str()));
    }
    if suite.tests.is_empty() && suite.findings.is_empty() {
        return Err(Box::new(CliError::NoTests));
    }
    Ok(suite)
}

fn tell(reporter: &Reporter, tests: &Rerun, ran: &[usize], start: Instant) {
    for index in ran {
        tell::outcome(&tests.outcomes()[*index], reporter);
    }
    let tally = Tally::of(tests.outcomes());
    let milliseconds = start.elapsed().as_millis() as u64;
    if reporter.is_json() {
        reporter
            .line(serde_json::json!({ "summary": tally, "ran": ran.len(), "milliseconds": milliseconds }));
    } else {
        reporter.line(format_args!("{tally}; {} run in {milliseconds} ms", ran.len()));
    }
}

fn broken(reporter: &Reporter, findings: &[Finding]) {
    findings.iter().for_each(|finding| reporter.error(finding));
    if reporter.is_json() {
        reporter.line(serde_json::json!({ "broken": findings.len() }));
    } else {
        reporter.line("the rules have mistakes: the last good ones stay");
    }
}
