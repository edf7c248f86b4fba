//! A rule as its author wrote it.

use relo_engine::normal::Rule;
use relo_grammar::span::Span;
use relo_grammar::tree::{Item, Test};

/// The text of a rule, with its comments and without its tests.
pub(super) fn text(rule: &Rule) -> String {
    let text = &rule.source.text;
    let (tree, _) = relo_grammar::parse(&rule.source);
    let Some((span, tests)) = find(&tree.items, rule.span) else { return String::new() };
    let end = tests.iter().map(|test| test.span.start).min().unwrap_or(span.end);
    let mut start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    // Comments stand directly before.
    while let Some(before) = text[..start].strip_suffix('\n') {
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        if !before[line..].trim_start().starts_with("//") {
            break;
        }
        start = line;
    }
    let indent = text[start..].len() - text[start..].trim_start_matches(' ').len();
    let cut = text[start..end].trim_end();
    let lines = cut.lines().map(|line| line.get(indent..).unwrap_or_else(|| line.trim_start()));
    let mut lines: Vec<&str> = lines.collect();
    if !tests.is_empty() {
        lines.push("}");
    }
    lines.join("\n")
}

/// The item that a rule's name stands in, and its tests.
fn find(items: &[Item], name: Span) -> Option<(Span, &[Test])> {
    let holds = |span: Span| span.start <= name.start && name.end <= span.end;
    items.iter().find_map(|item| match item {
        Item::Rule(rule) if holds(rule.span) => Some((rule.span, rule.tests.as_slice())),
        Item::Override(rule) if holds(rule.span) => Some((rule.span, rule.tests.as_slice())),
        Item::Strategy(strategy) => find(&strategy.items, name),
        Item::Family(family) => find(&family.items, name),
        _ => None,
    })
}
