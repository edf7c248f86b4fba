//! The head of a test's input: lines `// key: value` that say how it is compiled.

use std::collections::BTreeMap;
use std::path::Path;

use relo_engine::{Activation, Finding, Library, Pack, Request, Setting};
use relo_grammar::span::{Source, Span};
use relo_referent::SessionTable;

/// How a test is compiled.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Target, packs and parameters.
    pub request: Request,
    /// What the front end knows.
    pub session: SessionTable,
}

/// What a head says.
pub(crate) struct Head {
    pub(crate) setup: Setup,
    /// Whether only the test's own rule runs, where it is said.
    pub(crate) alone: Option<bool>,
    /// Equal for equal setups.
    pub(crate) key: String,
}

const KEYS: &str = "`target`, `session`, `use`, `set`, `strategy` and `run`";

/// Reads the head of an input of `pack`. `span` is the input's place in `source`.
pub(crate) fn read(
    library: &Library,
    pack: &Pack,
    strategy: Option<&str>,
    input: &str,
    source: &Source,
    span: Span,
) -> Result<Head, Finding> {
    let mut lines: BTreeMap<&str, Vec<(&str, Span)>> = BTreeMap::new();
    let mut at = span.start;
    for line in input.split_inclusive('\n') {
        let place = Span::new(at, at + line.trim_end().len());
        at += line.len();
        let text = line.trim();
        if text.is_empty() {
            continue;
        }
        let Some(text) = text.strip_prefix("//").or_else(|| text.strip_prefix(';')) else { break };
        if let Some((key, value)) = text.trim().split_once(": ")
            && key.chars().all(|c| c.is_ascii_lowercase())
        {
            lines.entry(key).or_default().push((value.trim(), place));
        }
    }
    let wrong = |place: Span, message: String, help: String| {
        Finding::error("relo::test::head", source, place, message).help(help)
    };
    let known = ["target", "session", "use", "set", "strategy", "run"];
    if let Some((key, values)) = lines.iter().find(|(key, _)| !known.contains(key)) {
        return Err(wrong(
            values[0].1,
            format!("a test has no setting `{key}`"),
            format!("there are {KEYS}"),
        ));
    }
    let last = |key: &str| lines.get(key).and_then(|values| values.last()).copied();
    let all = |key: &str| lines.get(key).into_iter().flatten().copied();
    let defaults = &pack.tests;
    let target = last("target")
        .map(|(target, _)| target.to_owned())
        .or_else(|| defaults.target.clone())
        .or_else(|| pack.targets.keys().next().cloned());
    let Some(target) = target else {
        let help = "write `tests: { target: … }` in pack.yaml, or `// target: …` first in the test";
        return Err(wrong(span, "for which target is not said".into(), help.into()));
    };
    let mut settings = defaults.set.clone();
    for (text, place) in all("set") {
        let Some((key, value)) = text.split_once('=') else {
            return Err(wrong(
                place,
                "a setting has a value".into(),
                "write `// set: pack.name=value`".into(),
            ));
        };
        settings.insert(key.trim().to_owned(), setting(value.trim()));
    }
    let mut packs = defaults.packs.clone();
    packs.extend(all("use").map(|(name, _)| name.to_owned()));
    if pack.active == Some(Activation::Request) {
        packs.push(pack.name.clone());
    }
    let table = table(pack, all("session"), defaults.session.as_deref(), source, span)?;
    let session = match &table {
        Some((text, name)) => SessionTable::parse(text, name).map_err(|error| {
            let reason = error.to_string();
            wrong(span, format!("the session table does not fit: {reason}"), "see `relo explain`".into())
        })?,
        None => SessionTable::default(),
    };
    let alone = match last("run") {
        None => None,
        Some(("pipeline", _)) => Some(false),
        Some(("rule", _)) => Some(true),
        Some((_, place)) => {
            let help = "write `pipeline` or `rule`: the pack's rules, or this one alone";
            return Err(wrong(place, "no such way to run".into(), help.into()));
        }
    };
    let strategy = last("strategy").map(|(name, _)| name).or(strategy).map(ToOwned::to_owned);
    let with_session = table.is_some() || pack.active == Some(Activation::Session);
    let request = Request { target, packs, with_session, settings, strategy, ..Request::default() };
    if library.target(&request.target).is_none() {
        let names: Vec<&str> = library.targets().map(|(_, target)| target.name.as_str()).collect();
        let message = format!("there is no target `{}`", request.target);
        return Err(wrong(span, message, format!("there are: {}", names.join(", "))));
    }
    let key = format!("{request:?} {table:?}");
    Ok(Head { setup: Setup { request, session }, alone, key })
}

/// The session table's text and name: entries written out, or a file in the pack's folder.
fn table<'a>(
    pack: &Pack,
    lines: impl Iterator<Item = (&'a str, Span)>,
    default: Option<&str>,
    source: &Source,
    span: Span,
) -> Result<Option<(String, String)>, Finding> {
    let mut entries = Vec::new();
    let mut file = default.map(|name| (name, span));
    for (text, place) in lines {
        match text {
            "none" => file = None,
            entry if entry.starts_with('{') => entries.push(entry),
            name => file = Some((name, place)),
        }
    }
    if !entries.is_empty() {
        let name = source.name.to_string();
        return Ok(Some((format!("{{\"entries\": [{}]}}", entries.join(", ")), name)));
    }
    let Some((name, place)) = file else { return Ok(None) };
    // A file is looked for beside what names it.
    let beside = if place == span { &pack.yaml.name } else { &source.name };
    let path = Path::new(&**beside).with_file_name(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((text, name.to_owned()))),
        Err(error) => Err(Finding::error(
            "relo::test::session",
            source,
            place,
            format!("can't read the session table `{name}`: {error}"),
        )
        .help("name a file beside this one, or write an entry: `// session: {\"address\": …}`")),
    }
}

fn setting(value: &str) -> Setting {
    match (value, value.parse()) {
        ("true", _) => Setting::Bool(true),
        ("false", _) => Setting::Bool(false),
        (_, Ok(number)) => Setting::Int(number),
        (text, Err(_)) => Setting::Str(text.to_owned()),
    }
}
