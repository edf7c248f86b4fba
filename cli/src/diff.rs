//! `relo diff`: what a change of rules does, and what that is for those who use the pack.

mod corpus;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;
use relo_codegen::{read_packs, shipped_packs};
use relo_dialect::{Checker, OdsSchema};
use relo_engine::{
    Change, Class, Library, PackSource, RuleSet, RuleSetError, Severity, compare, compare_packs,
};

use crate::error::{CliError, Failure};
use crate::library::{active, whole};
use crate::report::Reporter;

/// What only a whole set can lack: which cells it leaves open is what the comparison tells.
const OPEN: &str = "relo::check::uncovered";

/// Show what a change of rules does: which rules, cells and outputs, and whether it is major, minor or patch for a pack
///
/// Format, comments, the order of files and names of captures are no change.
#[derive(Args)]
pub struct Arguments {
    /// The packs as they were: a pack's folder, or a folder of packs
    old: PathBuf,
    /// The packs as they are
    new: PathBuf,
    /// Inputs that are compiled by both, where a target's rules differ: .ll, .bc and .mlir, with NAME.session.json beside them
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
}

/// Both sides: the packs, and the rules for each target that both have.
struct Sides {
    old: Library,
    new: Library,
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let (old, new) = (read_packs(&arguments.old)?, read_packs(&arguments.new)?);
    let sides = sides(old, new)?;
    let inputs = arguments.corpus.as_deref().map(corpus::inputs).transpose()?.unwrap_or_default();
    let mut changes: BTreeMap<Change, BTreeSet<String>> = BTreeMap::new();
    for change in compare_packs(&sides.old, &sides.new) {
        changes.entry(change).or_default();
    }
    let both = |target: &String| sides.new.target(target).is_some();
    let targets = sides.old.targets().map(|(_, target)| target.name.clone()).filter(both);
    // Packs that are the same to the letter need no comparison.
    let differ = |target: &String| texts(&sides.old, target) != texts(&sides.new, target);
    let checker = Checker::default();
    for target in targets.filter(differ).collect::<Vec<_>>() {
        let rules = |side: &Library| rule_set(&checker, side, &target);
        let (old, new) = (rules(&sides.old)?, rules(&sides.new)?);
        let found = compare(&old, &new, &OdsSchema);
        let values = |set: &RuleSet| set.values.iter().map(ToString::to_string).collect::<Vec<_>>();
        if found.is_empty() && values(&old) == values(&new) {
            continue;
        }
        let outputs = corpus::compare(&inputs, &old, &new);
        let (before, after) = (texts(&sides.old, &target), texts(&sides.new, &target));
        let is_edited = |pack: &String| before.get(pack) != after.get(pack);
        for mut change in found.into_iter().chain(outputs) {
            // What another pack's target or parameter does to a pack is that one's change.
            if !is_edited(&change.pack) {
                let mut packs = std::iter::once(&new.target.pack).chain(before.keys()).chain(after.keys());
                change.pack = packs.find(|pack| is_edited(pack)).unwrap_or(&change.pack).clone();
            }
            changes.entry(change).or_default().insert(target.clone());
        }
    }
    if changes.is_empty() && !reporter.is_json() {
        reporter
            .line(format_args!("nothing changed: {} packs mean what they did", sides.new.packs().count()));
        return Ok(());
    }
    tell(&changes, reporter);
    Ok(())
}

/// Both libraries. Shipped packs that are in either folder are replaced by those, on both sides.
fn sides(old: Vec<PackSource>, new: Vec<PackSource>) -> Result<Sides, Failure> {
    let name = |pack: &PackSource| {
        Library::new(std::slice::from_ref(pack)).0.packs().map(|pack| pack.name.clone()).next()
    };
    let named: BTreeSet<String> = old.iter().chain(&new).filter_map(name).collect();
    let rest: Vec<PackSource> = shipped_packs()
        .into_iter()
        .filter(|pack| name(pack).is_none_or(|name| !named.contains(&name)))
        .collect();
    let library = |packs: Vec<PackSource>| -> Result<Library, Failure> {
        let (library, findings) = Library::new(&[rest.clone(), packs].concat());
        if findings.is_empty() {
            return Ok(library);
        }
        Err(Box::new(CliError::Findings { count: findings.len(), findings }))
    };
    Ok(Sides { old: library(old)?, new: library(new)? })
}

/// The digests of all texts that the rules for a target come from.
fn texts(library: &Library, target: &str) -> BTreeMap<String, String> {
    let own = library.target(target).map(|(pack, _)| pack.name.clone());
    let names: Vec<String> = own.into_iter().chain(active(library)).collect();
    let roots: Vec<&str> = names.iter().map(String::as_str).collect();
    let packs = library.closure(&roots, true);
    packs.into_iter().map(|pack| (pack.name.clone(), pack.digest.clone())).collect()
}

/// All rules that may take part for a target. A cell that is left open is a difference, and no mistake here.
fn rule_set(checker: &Checker, library: &Library, target: &str) -> Result<RuleSet, Failure> {
    let (set, findings) = checker.draft(library, &whole(library, target))?;
    let wrong = |finding: &relo_engine::Finding| finding.severity == Severity::Error && finding.code != OPEN;
    if findings.iter().any(wrong) {
        let findings = findings.into_iter().filter(wrong).collect();
        let error = RuleSetError::Findings { target: target.to_owned(), findings, cells: Vec::new() };
        return Err(Box::new(error));
    }
    Ok(set)
}

/// Prints the changes, pack by pack, the greatest first.
fn tell(changes: &BTreeMap<Change, BTreeSet<String>>, reporter: &Reporter) {
    let mut packs: BTreeMap<&str, Class> = BTreeMap::new();
    for change in changes.keys() {
        let class = packs.entry(&change.pack).or_insert(change.class);
        *class = change.class.max(*class);
    }
    for (pack, class) in &packs {
        if !reporter.is_json() {
            reporter.line(format_args!("{pack}: {class}"));
        }
        let mut own: Vec<_> = changes.iter().filter(|(change, _)| change.pack == *pack).collect();
        own.sort_by_key(|(change, _)| std::cmp::Reverse(change.class));
        for (change, targets) in own {
            if reporter.is_json() {
                let mut object = serde_json::json!(change);
                object["targets"] = targets.iter().map(String::as_str).collect();
                reporter.line(object);
                continue;
            }
            let list =
                |texts: &BTreeSet<String>| texts.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let targets =
                if targets.is_empty() { String::new() } else { format!(" (for {})", list(targets)) };
            reporter.line(format_args!("  {}: {} {}{targets}", change.class, change.subject, change.what));
            if !change.because.is_empty() {
                reporter.line(format_args!("      because of {}", list(&change.because)));
            }
            for line in change.witness.iter().flat_map(|witness| witness.lines()) {
                reporter.line(format_args!("      {line}"));
            }
        }
    }
    if reporter.is_json() {
        reporter.line(serde_json::json!({ "packs": packs }));
    }
}

/// What a path is called in a change: the same wherever the folder lies.
fn shown(path: &Path, folder: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}
