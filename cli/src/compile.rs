//! `relo compile`: the whole way.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use relo_codegen::{Emit, Options, compile, isolated};
use relo_engine::normal::Phase;
use relo_referent::Referent;

use crate::batch::{Job, jobs, run_all};
use crate::cache::Place;
use crate::depfile::depfile;
use crate::error::{CliError, Failure};
use crate::input::{Choice, Chosen, Input};
use crate::output;
use crate::profile::Profile;
use crate::report::Reporter;

/// An input of so many bytes takes long enough for people to wonder.
const LARGE: usize = 1 << 20;

/// Compile LLVM IR or MLIR for a target, host references kept symbolic
///
/// The manifest is written beside the artifact, as OUT.reloc.json. Several inputs are compiled at once, each by itself.
#[derive(Args)]
pub struct Arguments {
    /// The inputs: .ll, .bc or .mlir; `-` for standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// The session table that the front end wrote: one for all inputs, or one for each, in their order
    #[arg(long, value_name = "TABLE.json")]
    session: Vec<PathBuf>,
    #[command(flatten)]
    choice: Choice,
    /// Where to write the artifact; of several inputs, the folder for theirs
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// How many inputs to compile at once [default: as many as there are processors]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Write which files the artifacts were made of, in the form that Make and Ninja read
    #[arg(long, value_name = "FILE")]
    depfile: Option<PathBuf>,
    /// What to write: llvm, bitcode, assembly, ptx, spirv, object or shared-object [default: the target's]
    #[arg(long, value_name = "KIND")]
    emit: Option<String>,
    /// The optimisation level; at 0 LLVM's optimiser does not run at all [default: the target's]
    #[arg(short = 'O', value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    level: Option<u8>,
    /// A function to keep: everything else becomes internal, and what is unreachable goes away
    #[arg(long, value_name = "NAME")]
    entry: Vec<String>,
    /// What becomes of a function that can't be made portable: the input is refused, or it is left out, with what needs it
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Unliftable::Refuse)]
    on_unliftable: Unliftable,
    /// Keep what is compiled, and take what is kept: in a folder, or a store that machines share by its URL, as in
    /// s3://BUCKET/FOLDER or redis://HOST/FOLDER [default: $RELO_CACHE, or the user's folder]
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    cache: Option<String>,
    /// Keep the cache to about so much, in bytes or with K, M, G or T: what was used longest ago goes [default: 5G for a
    /// folder, no limit for a URL]
    #[arg(long, value_name = "SIZE", value_parser = crate::cache::size, requires = "cache")]
    cache_limit: Option<u64>,
    /// Print the module after a phase
    #[arg(long, value_name = "PHASE", value_enum)]
    print_after: Vec<PhaseName>,
    /// Print every rewrite
    #[arg(long)]
    trace: bool,
    /// Print what each rule and native was tried and called for, phase by phase, and how long that took
    #[arg(long, conflicts_with = "interpret")]
    profile: bool,
    /// Run the rules by the reference interpreter in place of PDL: slower, for finding out which of them is wrong
    #[arg(long)]
    interpret: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PhaseName {
    Lift,
    Fold,
    Lower,
    Finish,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Unliftable {
    Refuse,
    DropFunction,
}

impl From<Phase> for PhaseName {
    fn from(phase: Phase) -> Self {
        match phase {
            Phase::Lift => Self::Lift,
            Phase::Fold => Self::Fold,
            Phase::Lower => Self::Lower,
            Phase::Finish => Self::Finish,
        }
    }
}

/// Compiles, and gives the exit code.
///
/// # Errors
/// When nothing can be compiled at all. What is wrong with an input has been told of by whoever compiled it.
pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<u8, Failure> {
    let with_session = !arguments.session.is_empty();
    let chosen = arguments.choice.read(arguments.emit.as_deref(), with_session, reporter)?;
    let emit: Emit = chosen.rules.target.emit.parse()?;
    let jobs = jobs(&arguments.inputs, &arguments.session, &arguments.output, emit)?;
    let work = |index: usize| match compile_one(arguments, &jobs[index], &chosen, emit, reporter) {
        Ok(()) => 0,
        Err(error) => {
            reporter.error(&*error);
            1
        }
    };
    // LLVM may end the process that it is called in.
    let code = if let [_] = &*jobs {
        isolated(|| work(0), reporter.tell())?
    } else {
        output::make_folder(&arguments.output)?;
        run_all(&jobs, arguments.jobs, work, reporter)?
    };
    if let Some(path) = arguments.depfile.as_ref().filter(|_| code == 0) {
        let text = depfile(&jobs, &arguments.choice.rules, &arguments.choice.load)?;
        output::write_file(path, text.as_bytes())?;
    }
    Ok(code)
}

fn compile_one(
    arguments: &Arguments,
    job: &Job,
    chosen: &Chosen,
    emit: Emit,
    reporter: &Reporter,
) -> Result<(), Failure> {
    let input = Input::read(&job.input, job.session.as_deref())?;
    let resolve = |referent: &Referent| chosen.resolve(referent);
    // Several inputs have a display of their own.
    let is_alone = arguments.inputs.len() == 1;
    let progress = if is_alone { progress(input.bytes.len()) } else { ProgressBar::hidden() };
    let options = Options {
        input: &input.bytes,
        name: &input.name,
        session: &input.session,
        rules: &chosen.rules,
        emit,
        level: arguments.level.unwrap_or(chosen.rules.target.spec.optimise),
        entries: &arguments.entry,
        confine: arguments.on_unliftable == Unliftable::DropFunction,
        resolve: &resolve,
        natives: relo_dialect::natives,
        trace: arguments.trace || arguments.profile,
        interpret: arguments.interpret,
        progress: &|step| progress.set_message(step.to_owned()),
    };
    let place = match &arguments.cache {
        Some(url) => Some(Place::new(url, arguments.cache_limit, &options, &chosen.request, reporter)?),
        None => None,
    };
    // Who wants to see the steps wants them taken.
    let is_watched = arguments.trace || arguments.profile || !arguments.print_after.is_empty();
    if let Some(entry) = place.as_ref().filter(|_| !is_watched).and_then(Place::find) {
        output::write(&job.output, &entry.artifact, &entry.manifest)?;
        tell_unseen(&entry.unseen, reporter);
        return Ok(());
    }
    let mut profile = Profile::default();
    let compilation = compile(&options, &mut |step| {
        if arguments.profile {
            profile.add(step);
        }
        for fired in step.outcome.trace.iter().filter(|_| arguments.trace) {
            reporter.line(format_args!(
                "{}: {} on {} at {}",
                step.phase, fired.rule, fired.operation, fired.place
            ));
        }
        if arguments.print_after.contains(&step.phase.into()) {
            reporter.line(format_args!("// after {}\n{}", step.phase, step.module.text()));
        }
    })?;
    progress.finish_and_clear();
    if arguments.profile {
        profile.tell(reporter);
    }
    output::write(&job.output, &compilation.artifact, &compilation.manifest.to_json())?;
    // From the cache it would come without a word about what is not in it.
    if let Some(place) = place.as_ref().filter(|_| compilation.dropped.is_empty()) {
        place.keep(&compilation, &options);
    }
    if !compilation.dropped.is_empty() {
        let (count, list) = (compilation.dropped.len(), listed(&compilation.dropped));
        reporter.error(&CliError::Dropped { count, list });
    }
    tell_unseen(&compilation.unseen, reporter);
    if !compilation.leaks.is_empty() {
        let lines = compilation.leaks.iter().map(|leak| format!("  {}: {}", leak.place, leak.what));
        let list = lines.collect::<Vec<_>>().join("\n");
        reporter.error(&CliError::Leaks { count: compilation.leaks.len(), list });
    }
    Ok(())
}

pub fn tell_unseen(unseen: &BTreeMap<String, String>, reporter: &Reporter) {
    if !unseen.is_empty() {
        reporter.error(&CliError::Unseen { count: unseen.len(), list: listed(unseen) });
    }
}

/// Functions with their reasons, one a line.
fn listed(functions: &BTreeMap<String, String>) -> String {
    let lines = functions.iter().map(|(name, reason)| format!("  @{name}: {reason}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Tells people at a terminal which step a large input is at.
fn progress(bytes: usize) -> ProgressBar {
    if bytes < LARGE {
        return ProgressBar::hidden();
    }
    let style =
        ProgressStyle::with_template("{spinner} [{elapsed_precise}] {msg}").expect("the template is right");
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
