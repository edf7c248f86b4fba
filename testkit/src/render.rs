//! Diagnostics as users see them, without colours.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

/// A diagnostic as text, 100 columns wide.
pub fn render(diagnostic: &dyn Diagnostic) -> String {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(100)
        .render_report(&mut text, diagnostic)
        .expect("writing to a string works");
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
