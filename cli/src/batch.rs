//! Many inputs: each in a process of its own, as many at once as there are processors, with one display for all.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use relo_codegen::{Done, Emit, isolated_each};

use crate::error::{CliError, Failure};
use crate::report::Reporter;

/// An input, what the front end says about it, and where its artifact goes.
pub struct Job {
    /// The input's file.
    pub input: PathBuf,
    /// The session table's file.
    pub session: Option<PathBuf>,
    /// The artifact's file.
    pub output: PathBuf,
}

/// The jobs of a command line: of several inputs the output is a folder, in which each has its own name.
///
/// # Errors
/// When there are other than one session table or one for each input, or two artifacts would have one name.
pub fn jobs(
    inputs: &[PathBuf],
    sessions: &[PathBuf],
    output: &Path,
    emit: Emit,
) -> Result<Vec<Job>, CliError> {
    if sessions.len() > 1 && sessions.len() != inputs.len() {
        return Err(CliError::Argument {
            message: format!("there are {} session tables for {} inputs", sessions.len(), inputs.len()),
            help: "write --session once for all inputs, or once for each, in their order".into(),
        });
    }
    if let [input] = inputs {
        let (input, session) = (input.clone(), sessions.first().cloned());
        return Ok(vec![Job { input, session, output: output.to_owned() }]);
    }
    let mut taken: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
    let mut jobs = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let stem = input.file_stem().unwrap_or_default().to_string_lossy();
        let output = output.join(format!("{stem}.{}", emit.extension()));
        if let Some(first) = taken.insert(output.clone(), input) {
            return Err(CliError::Argument {
                message: format!(
                    "`{}` and `{}` would both become `{}`",
                    first.display(),
                    input.display(),
                    output.display()
                ),
                help: "name inputs that differ by more than their folder, or compile them one by one".into(),
            });
        }
        let session = sessions.get(index).or(sessions.first()).cloned();
        jobs.push(Job { input: input.clone(), session, output });
    }
    Ok(jobs)
}

/// Runs several jobs; gives 1 if any of them does, and 0 otherwise. What each has to say comes in the order of the jobs.
///
/// # Errors
/// When there can be no processes for them.
pub fn run_all(
    jobs: &[Job],
    at_once: Option<NonZeroUsize>,
    work: impl Fn(usize) -> u8,
    reporter: &Reporter,
) -> Result<u8, Failure> {
    let at_once = at_once.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let style =
        ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}").expect("the template is right");
    // It is drawn when a job is done, by this thread: a fork must not lose another.
    let bar = ProgressBar::new(jobs.len() as u64).with_style(style);
    let (mut worst, mut waiting, mut next) = (0, BTreeMap::new(), 0);
    isolated_each(jobs.len(), at_once, work, reporter.tell(), &mut |done| {
        bar.set_message(jobs[done.index].input.display().to_string());
        bar.inc(1);
        waiting.insert(done.index, done);
        while let Some(Done { code, output, errors, .. }) = waiting.remove(&next) {
            bar.suspend(|| {
                let _ = std::io::stdout().write_all(&output);
                let _ = std::io::stderr().write_all(&errors);
                worst = worst.max(code.unwrap_or_else(|error| {
                    reporter.error(&error);
                    1
                }));
            });
            next += 1;
        }
    })?;
    bar.finish_and_clear();
    Ok(worst)
}
