//! `relo fmt`: rule files, formatted.

use std::path::{Path, PathBuf};

use clap::Args;
use relo_engine::{Finding, Label, Severity};
use relo_grammar::span::Source;

use crate::error::{CliError, Failure, read_text};
use crate::output;
use crate::report::Reporter;

/// Format rule files
///
/// Comments stay, and no rule's meaning changes. A file with syntax errors is left as it is.
#[derive(Args)]
pub struct Arguments {
    /// Rule files, or folders of them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Change nothing; fail where something would be changed
    #[arg(long)]
    check: bool,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in &arguments.paths {
        collect(path, &mut files)?;
    }
    let (mut findings, mut changed) = (Vec::new(), Vec::new());
    for path in &files {
        let source = Source::new(path.display().to_string(), read_text(path)?);
        match relo_grammar::format(&source) {
            Ok(text) if *text == *source.text => {}
            Ok(text) => {
                if !arguments.check {
                    output::write_file(path, text.as_bytes())?;
                }
                changed.push(path.display().to_string());
            }
            Err(errors) => findings.extend(errors.iter().map(|error| finding(&source, error))),
        }
    }
    for path in &changed {
        reporter.line(path);
    }
    if !findings.is_empty() {
        return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
    }
    if arguments.check && !changed.is_empty() {
        return Err(Box::new(CliError::Argument {
            message: format!("{} files are not formatted", changed.len()),
            help: "run `relo fmt` on them".into(),
        }));
    }
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), CliError> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let fail = |error: std::io::Error| CliError::Read {
        path: path.display().to_string(),
        reason: error.to_string(),
    };
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path).map_err(fail)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() || entry.extension().is_some_and(|extension| extension == "relo") {
            collect(&entry, files)?;
        }
    }
    Ok(())
}

fn finding(source: &Source, error: &relo_grammar::SyntaxError) -> Finding {
    Finding {
        code: error.code,
        severity: Severity::Error,
        message: error.message.clone(),
        source: source.clone(),
        labels: error.labels.iter().map(|(span, text)| Label { span: *span, text: text.clone() }).collect(),
        help: error.help.clone(),
        related: Vec::new(),
    }
}
