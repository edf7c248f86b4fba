//! What is wrong with a text.

use crate::span::Span;

/// A syntax error: where, what, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Stable code, as in `relo::syntax::bracket`.
    pub code: &'static str,
    /// The smallest wrong thing.
    pub span: Span,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Places with what is to be said of them; the first is [`Self::span`].
    pub labels: Vec<(Span, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl SyntaxError {
    pub(crate) fn new(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, message: message.into(), labels: vec![(span, "here".to_owned())], help: None }
    }

    pub(crate) fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(first) = self.labels.first_mut() {
            first.1 = text.into();
        }
        self
    }

    pub(crate) fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
