//! Cases from folders, and snapshots of what comes of them.

use std::path::{Path, PathBuf};

use miette::{GraphicalReportHandler, GraphicalTheme, NamedSource, Report};
use relo_grammar::SyntaxError;
use relo_grammar::span::Source;

/// A folder of this crate.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The `*.relo` files of a folder by name.
pub fn cases(folder: &Path) -> Vec<Source> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "relo"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no cases", folder.display());
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("cases are UTF-8");
            Source::new(path.file_name().expect("a file").to_string_lossy(), text)
        })
        .collect()
}

/// A case's name: its file's without the extension.
pub fn name(source: &Source) -> &str {
    source.name.trim_end_matches(".relo")
}

/// Compares a text with the snapshot `snapshots/grammar/FOLDER/NAME.snap`.
pub fn snapshot(folder_name: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder("../snapshots/grammar").join(folder_name));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Diagnostics as users see them.
pub fn render(source: &Source, errors: &[SyntaxError]) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(80);
    let mut text = String::new();
    for error in errors {
        let named = NamedSource::new(&*source.name, source.text.to_string());
        let report = Report::new(error.clone()).with_source_code(named);
        handler.render_report(&mut text, report.as_ref()).expect("writing to a string works");
    }
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A tree as text, without places and docs: what has to stay the same.
pub fn meaning(file: &relo_grammar::tree::File) -> String {
    let text = format!("{file:?}");
    let spans = regex::Regex::new(r"Span \{ start: \d+, end: \d+ \}").expect("a regular expression");
    let docs = regex::Regex::new(r#"doc: \[("([^"\\]|\\.)*"(, )?)*\]"#).expect("a regular expression");
    docs.replace_all(&spans.replace_all(&text, "_"), "doc").into_owned()
}

/// Parses what has to parse.
pub fn parsed(source: &Source) -> relo_grammar::tree::File {
    let (file, errors) = relo_grammar::parse(source);
    assert!(errors.is_empty(), "{}\n{}", source.text, render(source, &errors));
    file
}
