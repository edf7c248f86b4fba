//! What an output was made of, as Make and Ninja read it.

use std::path::{Path, PathBuf};

use relo_codegen::read_packs;

use crate::batch::Job;
use crate::error::Failure;
use crate::output::manifest_path;

/// The files of which each job's outputs were made: input, session table, rules that came from files, libraries.
///
/// # Errors
/// When rules can't be read any more.
pub fn depfile(jobs: &[Job], rules: &[PathBuf], libraries: &[String]) -> Result<String, Failure> {
    let mut shared = Vec::new();
    for folder in rules {
        for pack in read_packs(folder)? {
            shared.push(pack.yaml.name.to_string());
            shared.extend(pack.files.iter().map(|file| file.name.to_string()));
        }
    }
    // One without a path is looked up where the system has it.
    shared.extend(libraries.iter().filter(|library| library.contains('/')).cloned());
    let mut text = String::new();
    for Job { input, session, output } in jobs {
        let own =
            [Some(input), session.as_ref()].into_iter().flatten().filter(|path| path.as_os_str() != "-");
        let own = own.map(|path| path.display().to_string());
        let made = [output.clone(), manifest_path(output)];
        let made: Vec<String> = made.iter().map(|path| escaped(&shown(path))).collect();
        let from: Vec<String> = own.chain(shared.iter().cloned()).map(|path| escaped(&path)).collect();
        text.push_str(&format!("{}: {}\n", made.join(" "), from.join(" \\\n  ")));
    }
    Ok(text)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A path as Make has it.
fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for character in path.chars() {
        match character {
            '$' => text.push('$'),
            ' ' | '#' | '\\' | ':' => text.push('\\'),
            _ => {}
        }
        text.push(character);
    }
    text
}
