//! Fields that mean something, and that a rule drops without a word.
//!
//! Which fields these are is data: `meaning` in a `pack.yaml`. A rule that replaces an operation says of each what
//! becomes of it: it matches the field, ignores it with `_`, or takes it along with `..$rest`.

use super::Laws;
use crate::finding::Finding;
use crate::normal::{Outcome, RootFate, Rule};

/// A finding for each field that the rule's root may have and the rule does not mention.
pub(super) fn check(rule: &Rule, laws: &Laws<'_>) -> Vec<Finding> {
    let Outcome::Rewrite { constructions, root } = &rule.outcome else { return Vec::new() };
    let pattern = rule.root();
    let gone = matches!(root, RootFate::Erased) && constructions.is_empty();
    // What is erased and nothing put in its place is dropped knowingly; `..$rest` mentions everything.
    if gone || pattern.rest.is_some() {
        return Vec::new();
    }
    let Some(fields) = laws.meaning.get(&pattern.name) else { return Vec::new() };
    let mentioned = |field: &str| pattern.attributes.iter().any(|attribute| attribute.name == field);
    let dropped: Vec<&str> = fields.iter().map(String::as_str).filter(|field| !mentioned(field)).collect();
    if dropped.is_empty() {
        return Vec::new();
    }
    let list = dropped.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", ");
    let example = dropped.iter().map(|field| format!("{field} = _")).collect::<Vec<_>>().join(", ");
    vec![
        Finding::error(
            "relo::check::dropped_field",
            &rule.source,
            pattern.span,
            format!("this rule drops {list} of `{}`, which {} something", pattern.name, {
                if dropped.len() == 1 { "means" } else { "mean" }
            }),
        )
        .label("replaced whatever they are")
        .help(format!("match each, or say that it does not matter: `{{ {example} }}`")),
    ]
}
