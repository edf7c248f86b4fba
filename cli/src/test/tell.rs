//! What there is to say of tests, of their coverage, and of mutants: for people, or for programs.

use relo_trial::{Coverage, Mutation, Outcome, Verdict, difference};

use crate::report::Reporter;

/// What there is to say of a test: nothing where it is fine, unless a program reads it.
pub fn outcome(outcome: &Outcome, reporter: &Reporter) {
    let test = &outcome.test;
    if reporter.is_json() {
        reporter.line(serde_json::json!({
            "pack": test.pack,
            "rule": test.rule,
            "test": test.name,
            "outcome": outcome.verdict.name(),
            "file": &*test.source.name,
            "line": test.line(),
            "milliseconds": outcome.time.as_millis() as u64,
            "fired": outcome.observed.rules(),
            "detail": detail(outcome),
        }));
    } else if !outcome.verdict.is_fine() {
        let place = format!("{}:{}", test.source.name, test.line());
        reporter.line(format_args!("{}: {} ({place})", outcome.verdict.name(), test.title()));
        for line in detail(outcome).unwrap_or_default().lines() {
            reporter.line(format_args!("    {line}"));
        }
        reporter.line("");
    }
}

/// What a reader needs to see why.
fn detail(outcome: &Outcome) -> Option<String> {
    match &outcome.verdict {
        Verdict::Right | Verdict::Todo => None,
        Verdict::Wrong { accepted } => Some(difference(accepted, &outcome.text)),
        Verdict::Broken { reason } => Some(reason.clone()),
        Verdict::TodoWorks => Some("it works: remove `todo`, and accept what comes out".into()),
        Verdict::New | Verdict::DidNotFire | Verdict::FiredWhereItMustNot => Some(outcome.text.clone()),
    }
}

pub fn coverage(covered: &Coverage, reporter: &Reporter) {
    if reporter.is_json() {
        for rule in &covered.rules {
            let idle: Vec<_> =
                rule.idle().map(|(line, text)| serde_json::json!({ "line": line, "clause": text })).collect();
            reporter.line(serde_json::json!({
                "rule": rule.rule, "file": &*rule.source.name, "line": rule.line(), "fires": rule.fires, "idle": idle,
            }));
        }
        return;
    }
    for rule in &covered.rules {
        if !rule.fires {
            reporter.line(format_args!(
                "{} fires in no test ({}:{})",
                rule.rule,
                rule.source.name,
                rule.line()
            ));
        }
        for (line, text) in rule.idle() {
            reporter
                .line(format_args!("{}: no test fails at `{text}` ({}:{line})", rule.rule, rule.source.name));
        }
    }
    let (rules, clauses) = (covered.rules_covered(), covered.clauses_covered());
    reporter.line(format_args!("coverage: {rules:.1} % of rules, {clauses:.1} % of clauses"));
}

pub fn mutation(mutation: &Mutation, reporter: &Reporter) {
    for mutant in &mutation.survivors {
        let old = mutant.old().trim();
        if reporter.is_json() {
            reporter.line(serde_json::json!({
                "survivor": mutant.rule, "file": &*mutant.source.name, "line": mutant.line(), "what": mutant.what,
                "old": old, "new": mutant.replacement.trim(),
            }));
        } else {
            let place = format!("{}:{}", mutant.source.name, mutant.line());
            let change = format!("`{old}` -> `{}`", mutant.replacement.trim());
            reporter.line(format_args!(
                "{}: no test notices that {}: {change} ({place})",
                mutant.rule, mutant.what
            ));
        }
    }
    let count = mutation.caught + mutation.survivors.len();
    if reporter.is_json() {
        reporter.line(
            serde_json::json!({ "mutants": count, "caught": mutation.caught, "score": mutation.score() }),
        );
    } else {
        let (caught, score) = (mutation.caught, mutation.score());
        reporter.line(format_args!("mutation: {caught} of {count} mutants caught, {score:.1} %"));
    }
}
