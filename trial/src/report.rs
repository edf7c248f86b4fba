//! Coverage and mutants as a page.
//!
//! Places are files, not lines: a page is out of date when rules change, not when a test is added above one.

use std::fmt::Write as _;
use std::path::Path;

use crate::coverage::Coverage;
use crate::mutate::{Mutant, Mutation};

/// What a page says first.
pub const HEAD: &str = "\
# How far the shipped rules are tested

Written by `relo test --report docs/rule-coverage.md`.

";

/// The section on coverage, pack by pack.
pub fn coverage_section(coverage: &Coverage) -> String {
    let mut text = String::from(
        "## Coverage\n\n\
         A rule is covered where it fires, or rejects, in some test; a clause of a `where` where it is the first that does \
         not hold, in some test. Clauses that can't fail don't count.\n\n\
         | pack | rules | covered | clauses | covered |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for pack in packs(coverage) {
        line(&mut text, pack, &coverage.of(pack));
    }
    line(&mut text, "all", coverage);
    for rule in &coverage.rules {
        if !rule.fires {
            let _ = write!(text, "\n- `{}` fires in no test", rule.rule);
        }
        for (_, clause) in rule.idle() {
            let _ = write!(text, "\n- `{}`: no test fails at `{clause}`", rule.rule);
        }
    }
    text.push('\n');
    text
}

fn packs(coverage: &Coverage) -> Vec<&str> {
    let mut packs: Vec<&str> = coverage.rules.iter().map(|rule| rule.pack.as_str()).collect();
    packs.dedup();
    packs
}

fn line(text: &mut String, name: &str, coverage: &Coverage) {
    let rules = coverage.rules.len();
    let clauses: usize = coverage.rules.iter().map(|rule| rule.clauses.len()).sum();
    let (fire, decide) = (coverage.rules_covered(), coverage.clauses_covered());
    let _ = writeln!(text, "| {name} | {rules} | {fire:.1} % | {clauses} | {decide:.1} % |");
}

/// The section on mutants: those that were tried, and those that no test noticed.
pub fn mutants_section(mutation: &Mutation, edits: &[Mutant]) -> String {
    let mut text = format!(
        "## Mutants\n\n\
         Each is a rule with one small change: a clause that always holds, a condition on an attribute or type dropped, \
         another constant or operator, operands swapped, an attribute left out of what is built, a rule that never fires. \
         A test notices it when anything else is done to its module. What the checker refuses, and what means the same \
         to it, is no mutant.\n\n\
         {}\n\n\
         | pack | mutants | noticed | |\n| --- | ---: | ---: | ---: |\n",
        edits_line(edits)
    );
    for (pack, (caught, count)) in &mutation.packs {
        if *count > 0 {
            let score = crate::mutate::percent(*caught, *count);
            let _ = writeln!(text, "| {pack} | {count} | {caught} | {score:.1} % |");
        }
    }
    let count = mutation.caught + mutation.survivors.len();
    let _ = writeln!(text, "| all | {count} | {} | {:.1} % |", mutation.caught, mutation.score());
    if !mutation.survivors.is_empty() {
        text += "\nNo test notices:\n\n";
    }
    for mutant in &mutation.survivors {
        let _ = writeln!(text, "{}", survivor_line(mutant));
    }
    text
}

/// Which edits were tried: another line, and the section is out of date.
pub fn edits_line(edits: &[Mutant]) -> String {
    let mut hasher = blake3::Hasher::new();
    for edit in edits {
        for part in [edit.rule.as_str(), &edit.what, edit.old(), &edit.replacement] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    let digest = hasher.finalize().to_hex();
    format!("Of {} edits, `{}`:", edits.len(), &digest[..16])
}

/// A mutant that no test notices, as a member of the section's list.
pub fn survivor_line(mutant: &Mutant) -> String {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let file = Path::new(&*mutant.source.name).file_name().unwrap_or_default().to_string_lossy();
    format!(
        "- `{}` ({file}): {}: `{}` → `{}`",
        mutant.rule,
        flat(&mutant.what),
        flat(mutant.old()),
        flat(&mutant.replacement)
    )
}
