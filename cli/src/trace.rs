//! `relo trace`: what the rules do to an input, step by step, and why others don't.

mod html;
mod source;
mod tape;

use std::path::PathBuf;

use clap::Args;
use relo_codegen::{CodegenError, Emit, Options, trace};
use relo_dialect::{Asked, At, Fate, Tracer};
use relo_engine::Location;
use relo_engine::normal::{Phase, Rule};
use relo_grammar::span::{Source, Span};
use relo_referent::Referent;

use crate::compile::tell_unseen;
use crate::error::{CliError, Failure};
use crate::input::{Choice, Input};
use crate::output;
use crate::report::Reporter;
use tape::Tape;

/// Show what the rules do to an input, step by step: rule, operation, place, and the lines before and after
///
/// Values have names that stay the same from step to step. Nothing is written but what is asked for.
#[derive(Args)]
pub struct Arguments {
    /// The input: .ll, .bc or .mlir; `-` for standard input
    input: PathBuf,
    /// The session table that the front end wrote
    #[arg(long, value_name = "TABLE.json")]
    session: Option<PathBuf>,
    #[command(flatten)]
    choice: Choice,
    /// List the rules that could have applied at a place, in the order in which they are tried, and for each that did not fire
    /// the first condition that failed: @SYMBOL, @SYMBOL:%VALUE, FILE:LINE or LINE, each line with :COLUMN if need be
    #[arg(long, value_name = "LOC")]
    at: Option<String>,
    /// Write the steps as a page that goes forward and back through them, a file that needs nothing else
    #[arg(long, value_name = "OUT", conflicts_with = "at")]
    html: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let at = arguments.at.as_deref().map(place).transpose()?;
    let input = Input::read(&arguments.input, arguments.session.as_deref())?;
    let chosen = arguments.choice.read(None, arguments.session.is_some(), reporter)?;
    let resolve = |referent: &Referent| chosen.resolve(referent);
    let options = Options {
        input: &input.bytes,
        name: &input.name,
        session: &input.session,
        rules: &chosen.rules,
        emit: Emit::Llvm,
        level: 0,
        entries: &[],
        confine: false,
        resolve: &resolve,
        natives: relo_dialect::natives,
        trace: true,
        interpret: true,
        progress: &|_| (),
    };
    let mut tape = Tape::default();
    let mut watcher = |cause: relo_dialect::Cause<'_>, changes: &[relo_dialect::Change<'_>]| {
        tape.record(cause, changes);
    };
    let mut tracer = Tracer::new(&mut watcher, at);
    let result = trace(&options, &mut tracer);
    let asked = tracer.asked().to_vec();
    match (&arguments.at, &arguments.html) {
        (Some(at), _) => tell_asked(at, &asked, &result, reporter)?,
        (None, Some(path)) => {
            output::write_file(path, html::html(&tape, &input.name, &chosen.rules).as_bytes())?;
        }
        (None, None) => tell_steps(&tape, reporter),
    }
    tell_unseen(&result?, reporter);
    Ok(())
}

fn place(text: &str) -> Result<At, CliError> {
    At::parse(text).ok_or_else(|| CliError::Argument {
        message: format!("`--at {text}` is no place"),
        help: "write @SYMBOL, @SYMBOL:%VALUE, LINE, LINE:COLUMN, FILE:LINE or FILE:LINE:COLUMN".into(),
    })
}

/// Prints the steps; as JSON an object each.
fn tell_steps(tape: &Tape, reporter: &Reporter) {
    for (index, step) in tape.steps.iter().enumerate() {
        let edits = tape.edits(index + 1);
        if reporter.is_json() {
            let lines = |edits: &[tape::Edit<'_>], is_new| -> Vec<String> {
                let chosen = edits.iter().filter(|edit| edit.is_new == is_new);
                chosen.map(|edit| edit.text.to_owned()).collect()
            };
            let changes: Vec<_> = edits
                .iter()
                .map(|(part, edits)| {
                    serde_json::json!({
                        "part": part, "before": lines(edits, false), "after": lines(edits, true),
                    })
                })
                .collect();
            let object = match &step.fired {
                Some(fired) => serde_json::json!({
                    "step": index + 1, "phase": fired.phase.name(), "rule": fired.rule, "digest": fired.digest,
                    "operation": fired.operation, "location": location(&fired.place), "changes": changes,
                }),
                None => serde_json::json!({ "step": index + 1, "phase": "plan", "changes": changes }),
            };
            reporter.line(object);
            continue;
        }
        match &step.fired {
            Some(fired) => reporter.line(format_args!(
                "{} {}: {} on {} at {}",
                index + 1,
                fired.phase,
                fired.rule,
                fired.operation,
                fired.place
            )),
            None => reporter.line(format_args!("{} plan: each site has its strategy", index + 1)),
        }
        for (part, edits) in edits {
            reporter.line(format_args!("    {part}"));
            for edit in edits {
                let sign = if edit.is_new { '+' } else { '-' };
                reporter.line(format_args!("  {sign} {}", edit.text));
            }
        }
    }
    if tape.steps.is_empty() {
        reporter.note("no rule fires");
    }
}

fn location(place: &Location) -> serde_json::Value {
    let known = |number: u32| (number > 0).then_some(number);
    serde_json::json!({
        "file": place.file, "line": known(place.line), "column": known(place.column), "symbol": place.symbol,
    })
}

/// Prints what came of the rules at a place; as JSON an object for each operation.
fn tell_asked(
    at: &str,
    asked: &[Asked],
    result: &Result<impl Sized, CodegenError>,
    reporter: &Reporter,
) -> Result<(), CliError> {
    if asked.is_empty() && result.is_ok() {
        return Err(CliError::Nowhere { place: at.to_owned() });
    }
    if reporter.is_json() {
        for one in asked {
            let rules: Vec<_> = one.rules.iter().map(|(rule, fate)| fate_json(rule, fate)).collect();
            reporter.line(serde_json::json!({
                "phase": one.phase.name(), "operation": one.operation, "text": one.text,
                "location": location(&one.place), "rules": rules,
            }));
        }
        return Ok(());
    }
    for phase in Phase::ALL {
        let here = || asked.iter().filter(|one| one.phase == phase);
        for one in here().filter(|one| !one.rules.is_empty()) {
            reporter.line(format_args!("{phase}: {} at {}", one.operation, one.place));
            reporter.line(format_args!("    {}", one.text));
            let first =
                one.rules.iter().find(|(_, fate)| !matches!(fate, Fate::Missed { .. } | Fate::NotTried));
            for (rule, fate) in &one.rules {
                let fate = match (fate, first) {
                    (Fate::Fired, _) => "fires".to_owned(),
                    (Fate::Rejected { message }, _) => format!("rejects it: {message}"),
                    (Fate::Missed { obstacle }, _) => {
                        format!("{obstacle} ({})", line(&rule.source, obstacle.span))
                    }
                    (Fate::NotTried, Some((first, _))) => format!("not tried: {} comes first", first.path),
                    (Fate::NotTried, None) => {
                        "not tried: the operation went away, or the phase did not end".into()
                    }
                };
                reporter.line(format_args!("  {}: {fate}", rule.path));
            }
        }
        let mut none: Vec<&str> =
            here().filter(|one| one.rules.is_empty()).map(|one| one.operation.as_str()).collect();
        none.sort_unstable();
        none.dedup();
        if !none.is_empty() {
            reporter.line(format_args!("{phase}: no rule is for {}", none.join(", ")));
        }
    }
    Ok(())
}

fn fate_json(rule: &Rule, fate: &Fate) -> serde_json::Value {
    let mut object = serde_json::json!({ "rule": rule.path, "place": line(&rule.source, rule.span) });
    match fate {
        Fate::Fired => object["outcome"] = "fired".into(),
        Fate::Rejected { message } => {
            object["outcome"] = "rejected".into();
            object["message"] = message.as_str().into();
        }
        Fate::Missed { obstacle } => {
            object["outcome"] = "missed".into();
            object["condition"] = serde_json::json!({
                "what": obstacle.what, "wanted": obstacle.wanted, "found": obstacle.found,
                "place": line(&rule.source, obstacle.span),
            });
        }
        Fate::NotTried => object["outcome"] = "not tried".into(),
    }
    object
}

/// `file:line` of a span.
fn line(source: &Source, span: Span) -> String {
    let before = source.text.get(..span.start).unwrap_or_default();
    format!("{}:{}", source.name, 1 + before.matches('\n').count())
}
