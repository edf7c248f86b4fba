//! The tape as a page that steps forward and back.

use std::collections::BTreeMap;

use maud::html;
use relo_engine::RuleSet;
use serde_json::json;

use super::source;
use super::tape::{Part, Tape};
use crate::page::{Page, data, page};

/// A page holds all lines of the module up to so many; of a larger one those that change, and these around them.
const MANY: usize = 4_000;
const AROUND: usize = 15;

/// A line has at most so many characters.
const LONG: usize = 2_000;

/// The page of a tape.
pub(super) fn html(tape: &Tape, name: &str, rules: &RuleSet) -> String {
    let count: usize = tape.parts().map(|part| part.lines.len()).sum();
    let is_large = count > MANY;
    let still = |part: &&Part| part.lines.iter().all(|line| line.from == 0 && line.to.is_none());
    let left_out = if is_large { tape.parts().filter(still).count() } else { 0 };
    let parts: Vec<_> = tape
        .parts()
        .filter(|part| !is_large || !still(part))
        .map(|part| json!({ "name": part.name, "lines": lines(part, is_large) }))
        .collect();
    let mut sources = BTreeMap::new();
    let steps: Vec<_> = tape
        .steps
        .iter()
        .map(|step| match &step.fired {
            None => json!({ "phase": "plan", "rule": null }),
            Some(fired) => {
                if !sources.contains_key(&fired.rule)
                    && let Some(rule) = rules.rules().iter().find(|rule| rule.path == fired.rule)
                {
                    let place = super::line(&rule.source, rule.span);
                    sources.insert(&fired.rule, json!({ "place": place, "text": source::text(rule) }));
                }
                json!({
                    "phase": fired.phase.name(), "rule": fired.rule, "operation": fired.operation,
                    "place": fired.place.to_string(),
                })
            }
        })
        .collect();
    let tape = json!({ "steps": steps, "parts": parts, "rules": sources });
    let target = &rules.target.spec.name;
    let body = html! {
        header {
            div.top {
                h1 { (name) " " span.target { "for " (target) } }
                nav aria-label="steps" {
                    button #first type="button" aria-label="first step" { "«" }
                    button #back type="button" aria-label="step back" { "‹" }
                    output #count aria-live="polite" {}
                    button #next type="button" aria-label="step forward" { "›" }
                    button #last type="button" aria-label="last step" { "»" }
                }
            }
            p #about {}
        }
        main {
            section aria-label="the module" {
                div.title {
                    h2 { "Module" }
                    span.soft.keys { kbd { "←" } " " kbd { "→" } " step, " kbd { "Home" } " " kbd { "End" } " first and last" }
                }
                div #module {}
                @if is_large {
                    p.note {
                        "The module has " (count) " lines: only what changes is here, with " (AROUND)
                        " lines around it. " (left_out) " symbols that no rule changes are left out."
                    }
                }
                noscript { p.note { "The steps are shown by a script in this file." } }
            }
            aside {
                div.of-rule {
                    div.title { h2 { "Rule" } span.soft #place {} }
                    pre #rule {}
                }
                div {
                    div.title { h2 { "Steps" } }
                    ol #steps {}
                }
            }
        }
        (data("tape", &tape))
    };
    let title = format!("relo trace: {name}");
    let (style, script) = (include_str!("page.css"), include_str!("page.js"));
    page(Page { title: &title, style, body, script: Some(script) })
}

/// The lines of a part, with what is cut where it is.
fn lines(part: &Part, is_large: bool) -> Vec<serde_json::Value> {
    let changes = |index: usize| part.lines[index].from > 0 || part.lines[index].to.is_some();
    let mut near = vec![!is_large; part.lines.len()];
    for index in (0..part.lines.len()).filter(|index| is_large && changes(*index)) {
        let end = part.lines.len().min(index + AROUND + 1);
        near[index.saturating_sub(AROUND)..end].fill(true);
    }
    let mut all = Vec::new();
    let mut cut = 0;
    let close = |all: &mut Vec<_>, cut: &mut usize| {
        if *cut > 0 {
            all.push(json!({ "cut": *cut }));
            *cut = 0;
        }
    };
    for (line, near) in part.lines.iter().zip(near) {
        if !near {
            cut += 1;
            continue;
        }
        close(&mut all, &mut cut);
        all.push(json!({ "text": short(&line.text), "from": line.from, "to": line.to }));
    }
    close(&mut all, &mut cut);
    all
}

/// A line that is not too long, and says where it ends before its end.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}… ({} more bytes)", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}
