//! `relo new`: a pack to begin with, which checks, tests and compiles as it is.

use std::path::{Path, PathBuf};

use clap::Args;
use relo_codegen::shipped_packs;
use relo_engine::{Library, Pack, TargetSpec};

use crate::error::{CliError, Failure};
use crate::output;
use crate::report::Reporter;

/// Make a pack to begin with: its pack.yaml, a rule with tests, and a page for its readers
///
/// A front end's pack lifts the words of its runtime; a target's pack takes over what a shipped target for the same
/// machine has. The folder is named after the pack; nothing is overwritten.
#[derive(Args)]
pub struct Arguments {
    /// The pack's name: letters a to z, digits and `_`
    pack: String,
    /// A pack for a target with this triple, as LLVM names it
    #[arg(long, value_name = "TRIPLE", conflicts_with = "front_end")]
    target: Option<String>,
    /// A pack for what a front end emits [default]
    #[arg(long)]
    front_end: bool,
    /// Where the pack's folder is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    into: PathBuf,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let (library, _) = Library::new(&shipped_packs());
    check_name(&arguments.pack, &library)?;
    let folder = arguments.into.join(&arguments.pack);
    let name = arguments.pack.as_str();
    let files = match &arguments.target {
        Some(triple) => target(name, triple, &library)?,
        None => front_end(name, &library),
    };
    write(&folder, &files)?;
    for (file, _) in &files {
        reporter.line(folder.join(file).display());
    }
    reporter.note(format_args!("next: relo check --rules {} {name}", folder.display()));
    Ok(())
}

fn check_name(name: &str, library: &Library) -> Result<(), CliError> {
    let is_word = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !is_word {
        return Err(CliError::Argument {
            message: format!("`{name}` is no name of a pack"),
            help: "a name begins with a letter, and has the letters a to z, digits and `_`".into(),
        });
    }
    if library.pack(name).is_some() || library.target(name).is_some() {
        return Err(CliError::Argument {
            message: format!("`{name}` comes with relo"),
            help: "choose another name: a pack of this name would take its place".into(),
        });
    }
    Ok(())
}

/// Writes the files into a new folder: all of them, or none.
fn write(folder: &Path, files: &[(&str, String)]) -> Result<(), CliError> {
    let fail = |error: std::io::Error| CliError::Write {
        path: folder.display().to_string(),
        reason: error.to_string(),
    };
    std::fs::create_dir(folder).map_err(fail)?;
    for (file, text) in files {
        if let Err(error) = output::write_file(&folder.join(file), text.as_bytes()) {
            // The folder was made above: what is in it is ours.
            let _ = std::fs::remove_dir_all(folder);
            return Err(error);
        }
    }
    Ok(())
}

fn front_end(name: &str, library: &Library) -> Vec<(&'static str, String)> {
    // Its tests are compiled for this machine, where a target is.
    let here = |target: &&TargetSpec| machine(&target.triple) == std::env::consts::ARCH;
    let targets = || library.targets().map(|(_, target)| target);
    let target = targets().find(here).or_else(|| targets().next()).map_or("", |target| &target.name);
    let yaml = format!(
        "pack: {name}\nabout: What this front end's code generator leaves in its IR\nuses: [core]\nactive: request\n\
         tests: {{ target: {target} }}\n"
    );
    let rules = include_str!("new/lift.relo").replace("NAME", name);
    let readme = include_str!("new/front_end.md").replace("NAME", name);
    vec![("pack.yaml", yaml), ("lift.relo", rules), ("README.md", readme)]
}

fn target(name: &str, triple: &str, library: &Library) -> Result<Vec<(&'static str, String)>, CliError> {
    let known = library.targets().find(|(_, target)| machine(&target.triple) == machine(triple));
    let Some((pack, like)) = known else {
        let mut machines: Vec<String> =
            library.targets().map(|(_, target)| machine(&target.triple)).collect();
        machines.dedup();
        return Err(CliError::Argument {
            message: format!("no target is for a machine like `{triple}`"),
            help: format!("there are targets for: {}", machines.join(", ")),
        });
    };
    let rules = include_str!("new/finish.relo").replace("NAME", name);
    let readme = include_str!("new/target.md").replace("NAME", name).replace("LIKE", &like.name);
    Ok(vec![
        ("pack.yaml", yaml_like(name, triple, pack, like)),
        ("finish.relo", rules),
        ("README.md", readme),
    ])
}

/// What a triple begins with.
fn machine(triple: &str) -> String {
    triple.split('-').next().unwrap_or_default().to_owned()
}

/// A `pack.yaml` whose target has what a shipped one has: its lines, with another triple.
fn yaml_like(name: &str, triple: &str, pack: &Pack, like: &TargetSpec) -> String {
    let head = format!("  {}:", like.name);
    let lines = pack.yaml.text.lines().skip_while(|line| *line != head).skip(1);
    let lines = lines.take_while(|line| line.starts_with("    "));
    let lines: Vec<String> = lines
        .map(|line| match line.trim_start().starts_with("triple:") {
            true => format!("    triple: {triple}\n"),
            false => format!("{line}\n"),
        })
        .collect();
    format!(
        "pack: {name}\nabout: {triple}, as `{}` has it\nuses: [{}]\ntargets:\n  {name}:\n{}",
        like.name,
        pack.name,
        lines.concat()
    )
}
