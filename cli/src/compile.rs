//! `relo compile`: the whole way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use relo_codegen::{Emit, Options, compile};
use relo_dialect::{OdsSchema, signatures};
use relo_engine::normal::Phase;
use relo_engine::{Request, RuleSet, Setting};
use relo_loader::{Policy, Process, apply_addend};
use relo_referent::{Referent, SessionTable};

use crate::cache::Place;
use crate::error::{CliError, Failure, read, read_text};
use crate::library::library;
use crate::output;
use crate::report::Reporter;

/// An input of so many bytes takes long enough for people to wonder.
const LARGE: usize = 1 << 20;

/// Compile LLVM IR or MLIR for a target, host references kept symbolic
///
/// The manifest is written beside the artifact, as OUT.reloc.json.
#[derive(Args)]
pub struct Arguments {
    /// The input: .ll, .bc or .mlir; `-` for standard input
    input: PathBuf,
    /// The target; `relo targets` lists them
    #[arg(long, short, value_name = "TARGET")]
    target: String,
    /// Where to write the artifact
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// The session table that the front end wrote
    #[arg(long, value_name = "TABLE.json")]
    session: Option<PathBuf>,
    /// A pack's folder, or a folder of packs: added to those that come with relo, or replacing them
    #[arg(long, value_name = "DIR")]
    rules: Vec<PathBuf>,
    /// A front end's pack to use
    #[arg(long = "use", value_name = "PACK")]
    packs: Vec<String>,
    /// A value for a pack's parameter
    #[arg(long, value_name = "PACK.PARAMETER=VALUE")]
    set: Vec<String>,
    /// The processor to compile for, by LLVM's name [default: the target's]
    #[arg(long, value_name = "CPU")]
    cpu: Option<String>,
    /// A strategy that comes before the target's own choices
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<String>,
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
    /// A library in which words are looked up that a strategy wants when compiling
    #[arg(long, value_name = "LIB")]
    load: Vec<String>,
    /// Keep what is compiled, and take what is kept: in a folder, or a store by its URL [default: the user's folder]
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    cache: Option<String>,
    /// Print the module after a phase
    #[arg(long, value_name = "PHASE", value_enum)]
    print_after: Vec<PhaseName>,
    /// Print every rewrite
    #[arg(long)]
    trace: bool,
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

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let input = read(&arguments.input)?;
    let session = match &arguments.session {
        Some(path) => {
            let text = read_text(path)?;
            SessionTable::parse(&text, &path.display().to_string()).map_err(|error| -> Failure { error })?
        }
        None => SessionTable::default(),
    };
    let (library, findings) = library(&arguments.rules)?;
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    let request = Request {
        target: arguments.target.clone(),
        packs: arguments.packs.clone(),
        with_session: arguments.session.is_some(),
        settings: settings(&arguments.set)?,
        strategy: arguments.strategy.clone(),
        emit: arguments.emit.clone(),
        cpu: arguments.cpu.clone(),
        placeholders: false,
    };
    let (rules, warnings) = RuleSet::new(&library, &request, &signatures(), &OdsSchema)?;
    for warning in &warnings {
        reporter.error(warning);
    }
    let emit: Emit = rules.target.emit.parse()?;
    let process = Process { policy: Policy::Allow(arguments.load.iter().cloned().collect::<BTreeSet<_>>()) };
    let resolve = |referent: &Referent| look_up(&process, &arguments.load, referent);
    let name = arguments.input.display().to_string();
    let progress = progress(input.len());
    let options = Options {
        input: &input,
        name: &name,
        session: &session,
        rules: &rules,
        emit,
        level: arguments.level.unwrap_or(rules.target.spec.optimise),
        entries: &arguments.entry,
        confine: arguments.on_unliftable == Unliftable::DropFunction,
        resolve: &resolve,
        trace: arguments.trace,
        interpret: arguments.interpret,
        progress: &|step| progress.set_message(step.to_owned()),
    };
    let place = match &arguments.cache {
        Some(url) => Some(Place::new(url, &options, &request, reporter)?),
        None => None,
    };
    // Who wants to see the steps wants them taken.
    let is_watched = arguments.trace || !arguments.print_after.is_empty();
    if let Some(entry) = place.as_ref().filter(|_| !is_watched).and_then(Place::find) {
        output::write(&arguments.output, &entry.artifact, &entry.manifest)?;
        tell_unseen(&entry.unseen, reporter);
        return Ok(());
    }
    let compilation = compile(&options, &mut |step| {
        for fired in &step.outcome.trace {
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
    output::write(&arguments.output, &compilation.artifact, &compilation.manifest.to_json())?;
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
        let lines = compilation.leaks.iter().map(|leak| {
            let what =
                if leak.known { "an address of the session" } else { "a pointer made from a constant" };
            format!("  {}: {:#x}, {what}", leak.place, leak.address)
        });
        let list = lines.collect::<Vec<_>>().join("\n");
        reporter.error(&CliError::Leaks { count: compilation.leaks.len(), list });
    }
    Ok(())
}

fn tell_unseen(unseen: &BTreeMap<String, String>, reporter: &Reporter) {
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

/// `pack.parameter=value`: numbers and truth values as such, lists by commas in brackets, the rest as text.
fn settings(set: &[String]) -> Result<BTreeMap<String, Setting>, Failure> {
    set.iter()
        .map(|setting| {
            let (name, value) = setting.split_once('=').ok_or_else(|| CliError::Argument {
                message: format!("`--set {setting}` has no value"),
                help: "write --set PACK.PARAMETER=VALUE".into(),
            })?;
            let value = match value {
                "true" => Setting::Bool(true),
                "false" => Setting::Bool(false),
                text => {
                    match (text.parse(), text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))) {
                        (Ok(number), _) => Setting::Int(number),
                        (_, Some(list)) => {
                            Setting::List(list.split(',').map(|one| one.trim().to_owned()).collect())
                        }
                        _ => Setting::Str(text.to_owned()),
                    }
                }
            };
            Ok((name.to_owned(), value))
        })
        .collect()
}

/// A word in this process. A referent that names no library is looked up in those that were loaded for it.
fn look_up(process: &Process, load: &[String], referent: &Referent) -> Option<u64> {
    let named = |library: &String| {
        let mut referent = referent.clone();
        if let Referent::Symbol { library: place, .. } | Referent::Word { library: place, .. } = &mut referent
            && place.is_none()
        {
            *place = Some(library.clone());
        }
        apply_addend(process, &referent).ok().map(|resolved| keep(resolved.word, resolved.root))
    };
    load.iter()
        .find_map(named)
        .or_else(|| apply_addend(process, referent).ok().map(|resolved| keep(resolved.word, resolved.root)))
}

/// A word that goes into code has to stay valid: the library that has it is never unloaded.
fn keep(word: u64, root: Option<relo_loader::Root>) -> u64 {
    std::mem::forget(root);
    word
}
