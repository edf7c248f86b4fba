//! What can be wrong with a session table, and how it is told.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};

/// A session table that can't be used: everything that is wrong with it, each mistake a related diagnostic.
#[derive(Debug, thiserror::Error)]
#[error("the session table `{}` has {}", .source_code.name(), count(.mistakes.len()))]
pub struct SessionError {
    source_code: NamedSource<String>,
    mistakes: Vec<Mistake>,
}

/// A mistake, at the place or places that it is about.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub(crate) struct Mistake {
    problem: Problem,
    labels: Vec<LabeledSpan>,
}

/// What is wrong.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The JSON, or the table around the entries.
    Table,
    /// An entry's shape.
    Entry,
    /// A target's shape.
    Target,
    /// A target that names nothing.
    Malformed(String),
    /// A library by its path, which is another's on another machine.
    Path(String),
    /// No address.
    Address(String),
    /// Address 0.
    Null,
    /// No name of a global.
    Global(String),
    /// An address and a global in one entry.
    Both,
    /// Neither address nor global.
    Neither,
    /// What stands in two entries.
    Twice(String),
}

impl SessionError {
    pub(crate) fn new(name: &str, text: &str, mistakes: Vec<Mistake>) -> Self {
        Self { source_code: NamedSource::new(name, text.to_owned()).with_language("json"), mistakes }
    }
}

impl Mistake {
    pub(crate) fn new(problem: Problem, place: Range<usize>) -> Box<Self> {
        Box::new(Self {
            problem,
            labels: vec![LabeledSpan::new_primary_with_span(Some("here".into()), place)],
        })
    }

    /// A mistake that serde_json found in `text`, which starts at a byte of the whole. Its words become the label.
    pub(crate) fn of_json(
        problem: Problem,
        error: &serde_json::Error,
        text: &str,
        start: usize,
    ) -> Box<Self> {
        let at = last_read(text, error.line(), error.column());
        let words = in_words_of_tables(&error.to_string(), &problem);
        let label = LabeledSpan::new_primary_with_span(Some(words), start + at.start..start + at.end);
        Box::new(Self { problem, labels: vec![label] })
    }

    pub(crate) fn twice(what: &str, first: Range<usize>, second: Range<usize>) -> Box<Self> {
        let labels = vec![
            LabeledSpan::new_with_span(Some("first here".into()), first),
            LabeledSpan::new_primary_with_span(Some("here again".into()), second),
        ];
        Box::new(Self { problem: Problem::Twice(what.to_owned()), labels })
    }
}

/// The last character that serde_json had read, from a line from 1 and the number of bytes read of it. White space
/// before a mistake is skipped, so that one at the text's end is told at its last character.
fn last_read(text: &str, line: usize, column: usize) -> Range<usize> {
    let line: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let read = (line + column..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    let last = text[..read].trim_end().char_indices().next_back();
    last.map_or(0..0, |(at, character)| at..at + character.len_utf8())
}

/// serde_json's message, without the place, which the label shows, and without words of Rust.
fn in_words_of_tables(message: &str, problem: &Problem) -> String {
    let message = message.rsplit_once(" at line ").map_or(message, |(message, _)| message);
    if matches!(problem, Problem::Target) && message == "expected value" {
        // All of it is JSON already: this is what serde_json says of a second key.
        return "a target has one kind".to_owned();
    }
    message
        .replacen("unknown variant", "unknown kind", 1)
        .replacen("unknown field", "unknown key", 1)
        .replacen("missing field", "missing key", 1)
}

fn count(mistakes: usize) -> String {
    if mistakes == 1 { "a mistake".to_owned() } else { format!("{mistakes} mistakes") }
}

impl Problem {
    fn code(&self) -> &'static str {
        match self {
            Self::Table => "relo::session::table",
            Self::Entry | Self::Both | Self::Neither => "relo::session::entry",
            Self::Target | Self::Malformed(_) | Self::Path(_) => "relo::session::target",
            Self::Address(_) | Self::Null => "relo::session::address",
            Self::Global(_) => "relo::session::global",
            Self::Twice(_) => "relo::session::twice",
        }
    }

    fn help(&self) -> Cow<'static, str> {
        let help = match self {
            Self::Table => {
                "a session table is `{\"entries\": […], \"offsets\"?: […], \"relocatable\"?: true or false}`"
            }
            Self::Entry => "an entry is `{\"address\": \"0x…\" or \"global\": \"name\", \"target\": …}`",
            Self::Target => {
                "a target is `{\"object\": {\"runtime\", \"key\", \"addend\"?}}`, `{\"symbol\": {\"name\", \
                 \"library\"?, \"addend\"?}}` or `{\"word\": {\"symbol\", \"library\"?, \"offset\"?}}`"
            }
            Self::Malformed(_) => "name what it refers to in terms that outlive the session",
            Self::Path(path) => {
                let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
                return format!("write the library's name, as the dynamic linker knows it: `{name}`").into();
            }
            Self::Address(_) => "write it in hexadecimal, as text: `\"0x7f0012345678\"`",
            Self::Null => "nothing lies at address 0: leave the entry out",
            Self::Global(_) => "write the global's name as text, without the `@`",
            Self::Both => "write two entries",
            Self::Neither => "add `\"address\": \"0x…\"` or `\"global\": \"name\"`",
            Self::Twice(_) => "it means one thing in a session: drop one of the entries",
        };
        help.into()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table => f.write_str("this is not the JSON of a session table"),
            Self::Entry => f.write_str("this is not an entry"),
            Self::Target => f.write_str("this is not a target"),
            Self::Malformed(reason) => write!(f, "the target {reason}"),
            Self::Path(path) => write!(f, "the target names a library by its path on this machine, `{path}`"),
            Self::Address(text) => write!(f, "`{text}` is not an address"),
            Self::Null => f.write_str("an entry for address 0"),
            Self::Global(text) => write!(f, "`{text}` is not the name of a global"),
            Self::Both => f.write_str("an entry for an address and a global at once"),
            Self::Neither => f.write_str("an entry for neither an address nor a global"),
            Self::Twice(what) => write!(f, "{what} stands in two entries"),
        }
    }
}

impl Diagnostic for Mistake {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.problem.code()))
    }

    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.problem.help()))
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

impl Diagnostic for SessionError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new("relo::session"))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source_code)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.mistakes.iter().map(|mistake| mistake as &dyn Diagnostic)))
    }
}
