//! What is to be rewritten, and by which rules: what `relo compile` and `relo trace` have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use relo_dialect::Checker;
use relo_engine::{Library, Request, RuleSet, Setting};
use relo_loader::{Policy, Process, apply_addend};
use relo_referent::{Referent, SessionTable};

use crate::error::{CliError, Failure, read, read_text};
use crate::library::library;
use crate::report::Reporter;

/// The rules, and what they are for.
#[derive(Args)]
pub struct Choice {
    /// The target; `relo targets` lists them
    #[arg(long, short, value_name = "TARGET")]
    target: String,
    /// A pack's folder, or a folder of packs: added to those that come with relo, or replacing them
    #[arg(long, value_name = "DIR")]
    pub rules: Vec<PathBuf>,
    /// A front end's pack to use
    #[arg(long = "use", value_name = "PACK")]
    packs: Vec<String>,
    /// A value for a pack's parameter
    #[arg(long, value_name = "PACK.PARAMETER=VALUE")]
    set: Vec<String>,
    /// The processor to compile for, by LLVM's name [default: the target's]
    #[arg(long, value_name = "CPU")]
    cpu: Option<String>,
    /// A strategy that comes before the target's own choices
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<String>,
    /// A library in which words are looked up that a strategy wants when compiling
    #[arg(long, value_name = "LIB")]
    pub load: Vec<String>,
}

/// Rules that are right, and where they look words up.
pub struct Chosen {
    /// What was asked for.
    pub request: Request,
    /// The rules.
    pub rules: RuleSet,
    process: Process,
    load: Vec<String>,
}

/// An input that has been read.
pub struct Input {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it is called.
    pub name: String,
    /// What the front end knows.
    pub session: SessionTable,
}

impl Choice {
    /// Reads the rules; `emit` is the kind of artifact, where it isn't the target's default.
    ///
    /// # Errors
    /// When a file can't be read, or the rules are wrong.
    pub fn read(
        &self,
        emit: Option<&str>,
        with_session: bool,
        reporter: &Reporter,
    ) -> Result<Chosen, Failure> {
        let (library, findings): (Library, _) = library(&self.rules)?;
        if !findings.is_empty() {
            return Err(Box::new(CliError::Findings { count: findings.len(), findings }));
        }
        let request = Request {
            target: self.target.clone(),
            packs: self.packs.clone(),
            with_session,
            settings: settings(&self.set)?,
            strategy: self.strategy.clone(),
            emit: emit.map(str::to_owned),
            cpu: self.cpu.clone(),
            placeholders: false,
        };
        let (rules, warnings) = Checker::default().rules(&library, &request)?;
        for warning in &warnings {
            reporter.error(warning);
        }
        let process = Process { policy: Policy::Allow(self.load.iter().cloned().collect::<BTreeSet<_>>()) };
        Ok(Chosen { request, rules, process, load: self.load.clone() })
    }
}

impl Chosen {
    /// A word of this process.
    pub fn resolve(&self, referent: &Referent) -> Option<u64> {
        look_up(&self.process, &self.load, referent)
    }
}

impl Input {
    /// Reads an input and its session table.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn read(input: &Path, session: Option<&Path>) -> Result<Self, Failure> {
        let session = match session {
            Some(path) => {
                let text = read_text(path)?;
                SessionTable::parse(&text, &path.display().to_string())
                    .map_err(|error| -> Failure { error })?
            }
            None => SessionTable::default(),
        };
        Ok(Self { bytes: read(input)?, name: input.display().to_string(), session })
    }
}

/// `pack.parameter=value`: numbers and truth values as such, lists by commas in brackets, the rest as text.
fn settings(set: &[String]) -> Result<BTreeMap<String, Setting>, Failure> {
    set.iter()
        .map(|setting| {
            let (name, value) = setting.split_once('=').ok_or_else(|| CliError::Argument {
                message: format!("`--set {setting}` has no value"),
                help: "write --set PACK.PARAMETER=VALUE".into(),
            })?;
            let value = match value {
                "true" => Setting::Bool(true),
                "false" => Setting::Bool(false),
                text => {
                    match (text.parse(), text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))) {
                        (Ok(number), _) => Setting::Int(number),
                        (_, Some(list)) => {
                            Setting::List(list.split(',').map(|one| one.trim().to_owned()).collect())
                        }
                        _ => Setting::Str(text.to_owned()),
                    }
                }
            };
            Ok((name.to_owned(), value))
        })
        .collect()
}

/// A word in this process. A referent that names no library is looked up in those that were loaded for it.
fn look_up(process: &Process, load: &[String], referent: &Referent) -> Option<u64> {
    let named = |library: &String| {
        let mut referent = referent.clone();
        if let Referent::Symbol { library: place, .. } | Referent::Word { library: place, .. } = &mut referent
            && place.is_none()
        {
            *place = Some(library.clone());
        }
        apply_addend(process, &referent).ok().map(|resolved| keep(resolved.word, resolved.root))
    };
    load.iter()
        .find_map(named)
        .or_else(|| apply_addend(process, referent).ok().map(|resolved| keep(resolved.word, resolved.root)))
}

/// A word that goes into code has to stay valid: the library that has it is never unloaded.
fn keep(word: u64, root: Option<relo_loader::Root>) -> u64 {
    std::mem::forget(root);
    word
}
