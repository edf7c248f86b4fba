//! What inputs become by two sets of rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use relo_codegen::{CodegenError, Compilation, Emit, Options, compile as compile_with};
use relo_engine::{Change, Class, RuleSet};
use relo_referent::SessionTable;

use crate::error::{Failure, read, read_text};

/// How many lines of a difference are shown.
const MOST_LINES: usize = 8;

/// An input, and what its front end knows.
pub(super) struct Input {
    name: String,
    path: String,
    bytes: Vec<u8>,
    session: SessionTable,
}

/// The inputs in a folder and those below, by name.
///
/// # Errors
/// When one can't be read.
pub(super) fn inputs(folder: &Path) -> Result<Vec<Input>, Failure> {
    let mut paths = BTreeSet::new();
    // A folder that can't be read is told of as a file is.
    if let Err(error) = std::fs::read_dir(folder) {
        let (path, reason) = (folder.display().to_string(), error.to_string());
        return Err(Box::new(crate::error::CliError::Read { path, reason }));
    }
    collect(folder, &mut paths);
    let input = |path: PathBuf| -> Result<Input, Failure> {
        let table = path.with_extension("session.json");
        let session = if table.exists() {
            SessionTable::parse(&read_text(&table)?, &table.display().to_string())
                .map_err(|error| -> Failure { error })?
        } else {
            SessionTable::default()
        };
        let bytes = read(&path)?;
        Ok(Input { name: super::shown(&path, folder), path: path.display().to_string(), bytes, session })
    };
    paths.into_iter().map(input).collect()
}

fn collect(folder: &Path, paths: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|kind| kind == "ll" || kind == "bc" || kind == "mlir") {
            paths.insert(path);
        }
    }
}

/// The inputs that become something else. Those for other machines are left out; that one is refused is a result.
pub(super) fn compare(inputs: &[Input], old: &RuleSet, new: &RuleSet) -> Vec<Change> {
    let mut changes = Vec::new();
    for input in inputs {
        let (before, after) = (compile(input, old), compile(input, new));
        if let (Err(CodegenError::Triple { .. }), _) | (_, Err(CodegenError::Triple { .. })) =
            (&before, &after)
        {
            continue;
        }
        let Some((class, what, witness)) = difference(&before, &after) else { continue };
        let fired = |result: &Result<Compilation, CodegenError>| -> BTreeSet<(String, String)> {
            let rules = result.iter().flat_map(|one| &one.manifest.rules);
            rules.map(|rule| (rule.rule.clone(), rule.digest.clone())).collect()
        };
        let digests = |set: &RuleSet| -> BTreeSet<(String, String)> {
            set.rules().iter().map(|rule| (rule.path.clone(), rule.digest.clone())).collect()
        };
        // Of the rules that fired on one side only, those that are not the same on the other.
        let (olds, news) = (digests(old), digests(new));
        let differ: BTreeSet<&(String, String)> = olds.symmetric_difference(&news).collect();
        let fired: BTreeSet<_> = fired(&before).union(&fired(&after)).cloned().collect();
        let mut because: BTreeSet<String> =
            fired.iter().filter(|rule| differ.contains(rule)).map(|(path, _)| path.clone()).collect();
        for error in [&before, &after].into_iter().filter_map(|result| result.as_ref().err()) {
            if let CodegenError::Dialect(relo_dialect::DialectError::Rejected(rejections)) = error {
                because.extend(rejections.iter().map(|rejection| rejection.rule.clone()));
            }
        }
        if because.is_empty() {
            because.extend(differ.into_iter().map(|(path, _)| path.clone()));
        }
        let pack = because.iter().next().and_then(|path| path.split('.').next());
        let mut change =
            Change::new(pack.unwrap_or(&new.target.pack), class, format!("output {}", input.name), what);
        change.because = because;
        change.witness = Some(witness);
        changes.push(change);
    }
    changes
}

fn compile(input: &Input, rules: &RuleSet) -> Result<Compilation, CodegenError> {
    let options = Options {
        input: &input.bytes,
        name: &input.path,
        session: &input.session,
        rules,
        emit: Emit::Llvm,
        level: 0,
        entries: &[],
        confine: false,
        // What is found in this process would be another in the next.
        resolve: &|_| None,
        natives: relo_dialect::natives,
        trace: false,
        interpret: false,
        progress: &|_| (),
    };
    compile_with(&options, &mut |_| ())
}

/// How two results differ: the class, what it is, and lines that show it.
fn difference(
    before: &Result<Compilation, CodegenError>,
    after: &Result<Compilation, CodegenError>,
) -> Option<(Class, &'static str, String)> {
    let (before, after) = match (before, after) {
        (Err(before), Err(after)) => {
            let (before, after) = (before.to_string(), after.to_string());
            return (before != after)
                .then(|| (Class::Repair, "is refused in other words", lines(&before, &after)));
        }
        (Ok(_), Err(error)) => return Some((Class::Major, "is refused", error.to_string())),
        (Err(error), Ok(_)) => return Some((Class::Minor, "is no longer refused", error.to_string())),
        (Ok(before), Ok(after)) => (before, after),
    };
    let text = |one: &Compilation| String::from_utf8_lossy(&one.artifact).into_owned();
    let sites = |one: &Compilation| -> BTreeSet<String> {
        let site = |site: &relo_loader::SiteRecord| {
            let referent = &one.manifest.referents[site.referent];
            format!("{} #reloc.{referent} at {} + {}", site.action.name(), site.symbol, site.offset)
        };
        one.manifest.sites.iter().map(site).collect()
    };
    let (olds, news) = (sites(before), sites(after));
    let show = |set: &BTreeSet<String>| set.iter().map(|line| format!("{line}\n")).collect::<String>();
    if !olds.is_subset(&news) {
        return Some((Class::Major, "has other sites", lines(&show(&olds), &show(&news))));
    }
    if before.manifest.portable && !after.manifest.portable {
        return Some((Class::Major, "is no longer portable", lines(&text(before), &text(after))));
    }
    if olds != news {
        return Some((Class::Minor, "has more sites", lines(&show(&olds), &show(&news))));
    }
    if !before.manifest.portable && after.manifest.portable {
        return Some((Class::Minor, "is portable", lines(&text(before), &text(after))));
    }
    let (before, after) = (text(before), text(after));
    (before != after).then(|| (Class::Repair, "is another, with the same sites", lines(&before, &after)))
}

/// The first lines that are not the same.
fn lines(before: &str, after: &str) -> String {
    let difference = similar::TextDiff::from_lines(before, after);
    let changed = difference.iter_all_changes().filter_map(|change| {
        let sign = match change.tag() {
            similar::ChangeTag::Equal => return None,
            similar::ChangeTag::Delete => '-',
            similar::ChangeTag::Insert => '+',
        };
        Some(format!("{sign} {}", change.value().trim_end()))
    });
    let all: Vec<String> = changed.collect();
    let more = all.len().saturating_sub(MOST_LINES);
    let mut text = all[..all.len().min(MOST_LINES)].join("\n");
    if more > 0 {
        text.push_str(&format!("\n… {more} more lines"));
    }
    text
}
