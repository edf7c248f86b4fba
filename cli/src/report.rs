//! How diagnostics and results are written.

use std::io::Write as _;

use clap::ValueEnum;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, JSONReportHandler};
use relo_codegen::Tell;

use crate::explain;

/// The forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For programs: one JSON object a line
    Json,
}

/// Writes to the terminal: results on stdout, diagnostics on stderr.
pub struct Reporter {
    format: Format,
}

impl Reporter {
    /// A reporter for a form of output.
    pub fn new(format: Format) -> Self {
        Self { format }
    }

    /// Whether programs read it.
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Writes a diagnostic.
    pub fn error(&self, diagnostic: &dyn Diagnostic) {
        let mut text = String::new();
        let rendered = match self.format {
            Format::Json => JSONReportHandler::new().render_report(&mut text, diagnostic),
            Format::Text => handler().render_report(&mut text, diagnostic),
        };
        if rendered.is_err() {
            text = diagnostic.to_string();
        }
        let mut text = format!("{}\n", text.trim_end());
        let codes = explain::codes(diagnostic);
        if self.format == Format::Text && !codes.is_empty() {
            text.push_str(&format!("\n  for more: relo explain {}\n", codes.join(" ")));
        }
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Writes an error as this reporter does, for whoever can be given nothing but a function.
    pub fn tell(&self) -> Tell {
        match self.format {
            Format::Text => |error| Self::new(Format::Text).error(error),
            Format::Json => |error| Self::new(Format::Json).error(error),
        }
    }

    /// Writes a line of a result. A reader that went away is not an error.
    pub fn line(&self, line: impl std::fmt::Display) {
        let _ = writeln!(std::io::stdout(), "{line}");
    }

    /// Writes a remark for people, not part of the result.
    pub fn note(&self, note: impl std::fmt::Display) {
        if !self.is_json() {
            let _ = writeln!(std::io::stderr(), "{note}");
        }
    }
}

/// Colours and line drawing as far as the terminal has them and NO_COLOR allows.
fn handler() -> GraphicalReportHandler {
    use std::io::IsTerminal as _;
    let terminal = std::io::stderr().is_terminal();
    let colours = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let theme = if colours { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme).with_width(100)
}
