//! What is wrong with a text.

use crate::span::Span;

/// A syntax error: where, what, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// Stable code, as in `relo::syntax::unclosed`.
    pub code: &'static str,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The smallest wrong thing.
    pub span: Span,
    /// Places with what is to be said of them; the first is [`Self::span`].
    pub labels: Vec<(Span, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl SyntaxError {
    pub(crate) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), labels: vec![(span, "here".to_owned())], help: None }
    }

    /// What is said at the first place.
    pub(crate) fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.1 = text.into();
        }
        self
    }

    /// Another place that has to do with it.
    pub(crate) fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl miette::Diagnostic for SyntaxError {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn std::fmt::Display>)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().enumerate().map(|(index, (span, text))| {
            if index == 0 {
                miette::LabeledSpan::new_primary_with_span(Some(text.clone()), span.range())
            } else {
                miette::LabeledSpan::new_with_span(Some(text.clone()), span.range())
            }
        })))
    }
}
