//! What the checks have to say.

use std::fmt;

use miette::{Diagnostic, LabeledSpan, SourceCode, SourceSpan};
use relo_grammar::span::{Source, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing can be compiled with it.
    Error,
    /// Worth a look.
    Warning,
}

/// A place that a finding talks about, and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// A diagnostic about rules or packs. The first label is the smallest wrong thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code, as in `relo::check::unknown_operation`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The text that the labels are in.
    pub source: Source,
    /// The places, the most important one first.
    pub labels: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
    /// The same matter in other files.
    pub related: Vec<Finding>,
}

impl Finding {
    /// An error at one place.
    pub fn error(code: &'static str, source: &Source, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            source: source.clone(),
            labels: vec![Label { span, text: "here".into() }],
            help: None,
            related: Vec::new(),
        }
    }

    /// The same as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Says what is at the main place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Says what is at the main place, of a finding that is kept already.
    pub(crate) fn set_label(&mut self, text: impl Into<String>) -> &mut Self {
        if let Some(first) = self.labels.first_mut() {
            first.text = text.into();
        }
        self
    }

    /// Adds a place in a text; one in another text becomes a related finding.
    #[must_use]
    pub fn also(mut self, source: &Source, span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        if *source == self.source {
            self.labels.push(Label { span, text });
        } else {
            let mut other = Self::error(self.code, source, span, text.clone()).label(text);
            other.severity = self.severity;
            self.related.push(other);
        }
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Finding {}

/// Adapts a [`Source`] to miette: spans are read from the text, the name is the source's.
impl SourceCode for Finding {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let contents = self.source.text.as_ref().read_span(span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            self.source.name.to_string(),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}

impl Diagnostic for Finding {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().enumerate().map(|(index, label)| {
            let length = label.span.end.saturating_sub(label.span.start);
            let text = Some(label.text.clone());
            if index == 0 {
                LabeledSpan::new_primary_with_span(text, (label.span.start, length))
            } else {
                LabeledSpan::new(text, label.span.start, length)
            }
        })))
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if self.related.is_empty() {
            return None;
        }
        Some(Box::new(self.related.iter().map(|finding| finding as &dyn Diagnostic)))
    }
}

/// The nearest of the names, if one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().max(name.len()) / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// `1 operand`, `2 operands`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// "did you mean `x`?", or the names there are.
pub fn suggestion<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "there are none".to_owned(),
        None if names.len() <= 12 => format!("there are: {}", names.join(", ")),
        None => format!("there are {}, such as {}", names.len(), names[..5].join(", ")),
    }
}
