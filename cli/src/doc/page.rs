//! A pack as Markdown.

use std::fmt::Write as _;

use relo_engine::normal::Phase;
use relo_engine::{Activation, Pack, TargetSpec};
use relo_grammar::tree::{
    Fragment, Item, MatchItem, Outcome, Override, Param, Prefer, Rule, Statement, Strategy, TextPart,
};

/// What a pack's rule files declare, in the order of files.
#[derive(Default)]
struct Contents<'a> {
    files: Vec<(&'a str, &'a [String])>,
    parameters: Vec<&'a Param>,
    fragments: Vec<&'a Fragment>,
    strategies: Vec<&'a Strategy>,
    /// Rules by phase, those of a strategy and of a family too: the strategy's name, then the rule.
    rules: Vec<(&'a str, Option<&'a str>, &'a Rule)>,
    prefers: Vec<&'a Prefer>,
    overrides: Vec<&'a Override>,
}

/// The page of a pack.
pub(super) fn page(pack: &Pack) -> String {
    let contents = contents(pack);
    let mut text = format!("# {}\n\n{}.\n", pack.name, pack.about.trim_end_matches('.'));
    let _ = writeln!(text, "\nWritten by `relo doc {}` from the comments in its rules.", pack.name);
    if !pack.uses.is_empty() {
        let _ = writeln!(text, "\nUses {}.", list(pack.uses.iter().map(String::as_str)));
    }
    match pack.active {
        Some(Activation::Session) => text += "\nActive with a session table.\n",
        Some(Activation::Request) => {
            let _ = writeln!(text, "\nActive with `--use {}`.", pack.name);
        }
        None => {}
    }
    for (file, doc) in contents.files.iter().filter(|(_, doc)| !doc.is_empty()) {
        let _ = writeln!(text, "\n`{file}`: {}", prose(doc));
    }
    targets(&mut text, pack);
    parameters(&mut text, &contents);
    fragments(&mut text, &contents);
    strategies(&mut text, &contents);
    rules(&mut text, &contents);
    precedence(&mut text, &contents);
    text
}

fn contents(pack: &Pack) -> Contents<'_> {
    let mut contents = Contents::default();
    for (source, file) in &pack.files {
        let name = source.name.rsplit('/').next().unwrap_or_default();
        contents.files.push((name, &file.doc));
        gather(&file.items, &mut "", None, &mut contents);
    }
    contents
}

fn gather<'a>(
    items: &'a [Item],
    phase: &mut &'a str,
    strategy: Option<&'a str>,
    contents: &mut Contents<'a>,
) {
    for item in items {
        match item {
            Item::Phase(name) => *phase = &name.item,
            Item::Param(param) => contents.parameters.push(param),
            Item::Fragment(fragment) => contents.fragments.push(fragment),
            Item::Rule(rule) => contents.rules.push((phase, strategy, rule)),
            Item::Strategy(block) => {
                contents.strategies.push(block);
                gather(&block.items, phase, Some(&block.name.item), contents);
            }
            Item::Family(family) => gather(&family.items, phase, strategy, contents),
            Item::Prefer(prefer) => contents.prefers.push(prefer),
            Item::Override(replaced) => contents.overrides.push(replaced),
            Item::Pack(_) | Item::Use(_) | Item::Fact(_) => {}
        }
    }
}

fn targets(text: &mut String, pack: &Pack) {
    for target in pack.targets.values() {
        let TargetSpec { name, triple, cpu, emit, .. } = target;
        let _ = writeln!(text, "\n## Target `{name}`\n");
        let cpu = if cpu.is_empty() { String::new() } else { format!(", processor `{cpu}`") };
        let kinds = list(emit.iter().map(String::as_str));
        let _ = writeln!(
            text,
            "`{triple}`{cpu}; emits {kinds}. Sites are delivered by the first line that fits:\n"
        );
        for choice in &target.strategies {
            let mut parts = Vec::new();
            parts.extend(choice.site.iter().map(|site| format!("a {}", site.name())));
            parts.extend(choice.referent.iter().map(|referent| format!("{referent}s")));
            for (key, pattern) in
                [("runtime", &choice.runtime), ("library", &choice.library), ("name", &choice.name)]
            {
                parts.extend(pattern.iter().map(|pattern| format!("{key} `{}`", pattern.as_str())));
            }
            let what = if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") };
            let _ = writeln!(text, "- {what}: `{}`", choice.strategy);
        }
    }
}

fn parameters(text: &mut String, contents: &Contents) {
    if !contents.parameters.is_empty() {
        text.push_str("\n## Parameters\n\n");
    }
    for param in &contents.parameters {
        let need = if param.default.is_some() { "" } else { ", has to be set" };
        let _ = writeln!(text, "- `{}`: {}{need}. {}", param.name.item, param.kind.item, prose(&param.doc));
    }
}

fn fragments(text: &mut String, contents: &Contents) {
    if !contents.fragments.is_empty() {
        text.push_str("\n## Fragments\n\n");
    }
    for fragment in &contents.fragments {
        let _ = writeln!(text, "- `{}`: {}", fragment.name.item, prose(&fragment.doc));
    }
}

fn strategies(text: &mut String, contents: &Contents) {
    for strategy in &contents.strategies {
        let _ = writeln!(text, "\n## Strategy `{}`\n\n{}\n", strategy.name.item, prose(&strategy.doc));
        let loader = strategy.loader.as_ref().map_or("none", |loader| loader.item.as_str());
        let sites = list(strategy.sites.iter().map(|site| site.item.as_str()));
        let valid = if strategy.portable.is_some() { "any session" } else { "this session only" };
        let _ = writeln!(text, "Loader: `{loader}`. Sites: {sites}. Valid in {valid}.");
    }
}

fn rules(text: &mut String, contents: &Contents) {
    let is_used = |phase: &str| contents.rules.iter().any(|(of, ..)| *of == phase);
    for phase in Phase::ALL.map(Phase::name).into_iter().filter(|phase| is_used(phase)) {
        let _ = writeln!(text, "\n## Phase `{phase}`\n");
        for (_, strategy, rule) in contents.rules.iter().filter(|(of, ..)| *of == phase) {
            let strategy = strategy.map_or(String::new(), |strategy| format!("{strategy}."));
            let _ = writeln!(text, "- `{strategy}{}`: {}", rule.name.item, what(rule));
            if !rule.doc.is_empty() {
                let _ = writeln!(text, "  {}", prose(&rule.doc));
            }
        }
    }
}

/// What a rule matches and makes, in a line.
fn what(rule: &Rule) -> String {
    let root = match rule.matches.patterns.last() {
        Some(MatchItem::Operation(operation)) => operation.name.item.as_str(),
        Some(MatchItem::Fragment(call)) => call.name.item.as_str(),
        None => "nothing",
    };
    match &rule.outcome {
        Outcome::Reject(message) => {
            let parts = message.item.parts.iter().map(|part| match part {
                TextPart::Literal(text) => text.as_str(),
                TextPart::Hole(_) => "…",
            });
            format!("`{root}` is rejected: {}.", parts.collect::<String>())
        }
        Outcome::Rewrite(rewrite) => {
            let built: Vec<&str> = rewrite
                .statements
                .iter()
                .filter_map(|statement| match statement {
                    Statement::Build(operation) => Some(operation.name.item.as_str()),
                    Statement::Call { call, .. } => Some(call.name.item.as_str()),
                    _ => None,
                })
                .collect();
            match built[..] {
                [] => format!("`{root}` goes away."),
                _ => format!("`{root}` becomes {}.", list(built.iter().copied())),
            }
        }
    }
}

fn precedence(text: &mut String, contents: &Contents) {
    if contents.prefers.is_empty() && contents.overrides.is_empty() {
        return;
    }
    text.push_str("\n## Precedence\n\n");
    let path = |path: &relo_grammar::tree::Path| {
        path.item.iter().map(|name| name.item.as_str()).collect::<Vec<_>>().join(".")
    };
    for prefer in &contents.prefers {
        let (winner, loser) = (path(&prefer.winner), path(&prefer.loser));
        let _ = writeln!(text, "- `{winner}` over `{loser}`, because {}.", prefer.because.item);
    }
    for replaced in &contents.overrides {
        let _ =
            writeln!(text, "- in place of `{}`, because {}.", path(&replaced.target), replaced.because.item);
        if !replaced.doc.is_empty() {
            let _ = writeln!(text, "  {}", prose(&replaced.doc));
        }
    }
}

fn prose(doc: &[String]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// `a`, `b` and `c`.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match &names[..] {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
