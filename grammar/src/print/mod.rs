//! Canonical text of a tree: one way to write each thing, no comments, no docs.
//!
//! It parses back to the tree that it was made from, places and docs apart, so that it can stand for a rule where
//! rules are told apart, as in the hash of a pack.

mod expressions;
mod lines;

pub(crate) use expressions::Spelling;

use crate::tree::{
    Expectation, Fact, Family, File, Fragment, Item, Match, Outcome, Override, Path, Prefer, Rewrite, Rule,
    Strategy, Test, Where,
};
use expressions::{Quoted, capture};

/// The canonical text of a file.
pub fn print(file: &File) -> String {
    let mut printer = Printer::default();
    printer.items(&file.items);
    printer.text
}

/// The canonical text of one rule, tests included; without its tests it is what the rule does.
pub fn print_rule(rule: &Rule) -> String {
    let mut printer = Printer::default();
    printer.rule(rule);
    printer.text
}

/// What stands before the brace of a test.
pub(crate) fn test_head(test: &Test) -> String {
    let name = Quoted(&test.name.item);
    match &test.expectation {
        Expectation::Snapshot => format!("test {name}"),
        Expectation::Unchanged => format!("test {name} unchanged"),
        Expectation::Todo => format!("test {name} todo"),
        Expectation::Rejects(None) => format!("test {name} rejects"),
        Expectation::Rejects(Some(text)) => format!("test {name} rejects {}", Quoted(&text.item)),
    }
}

pub(crate) fn fragment_head(fragment: &Fragment) -> String {
    let parameters: Vec<String> = fragment.parameters.iter().map(capture).collect();
    format!("fragment {}({})", fragment.name.item, parameters.join(", "))
}

pub(crate) fn override_head(rule: &Override) -> String {
    format!("override {} because {}", path(&rule.target), Quoted(&rule.because.item))
}

impl Spelling<'_> {
    /// `reject`'s line.
    pub(crate) fn reject(self, text: &crate::tree::Text) -> String {
        format!("reject {}", self.quoted_text(text))
    }

    pub(crate) fn family_head<T>(self, family: &Family<T>) -> String {
        format!("for {} in {{ {} }}", capture(&family.variable), self.exprs(&family.values))
    }

    /// An item of one line.
    pub(crate) fn line(self, item: &Item) -> Option<String> {
        Some(match item {
            Item::Pack(name) => format!("pack {}", name.item),
            Item::Phase(name) => format!("phase {}", name.item),
            Item::Use(name) => format!("use {}", name.item),
            Item::Param(param) => {
                let default =
                    param.default.as_ref().map_or(String::new(), |value| format!(" = {}", self.expr(value)));
                format!("param {}: {}{default}", param.name.item, param.kind.item)
            }
            Item::Fact(Fact::Disjoint(a, b)) => format!("disjoint {}, {}", a.item, b.item),
            Item::Fact(Fact::Implies(a, b)) => format!("{} implies {}", a.item, b.item),
            Item::Prefer(Prefer { winner, loser, because, .. }) => {
                format!("prefer {} over {} because {}", path(winner), path(loser), Quoted(&because.item))
            }
            _ => return None,
        })
    }
}

fn path(path: &Path) -> String {
    path.item.iter().map(|name| name.item.as_str()).collect::<Vec<_>>().join(".")
}

/// One spelling for each thing.
const CANONICAL: Spelling<'_> = Spelling { source: None };

#[derive(Default)]
struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n(' ', 4 * self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn braced(&mut self, head: &str, inside: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line("}");
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Fragment(fragment) => self.braced(&fragment_head(fragment), |printer| {
                printer.blocks(fragment.matches.as_ref(), fragment.wheres.as_ref());
                printer.rewrite(fragment.rewrite.as_ref());
            }),
            Item::Rule(rule) => self.rule(rule),
            Item::Strategy(strategy) => self.strategy(strategy),
            Item::Family(family) => {
                self.braced(&CANONICAL.family_head(family), |printer| printer.items(&family.items))
            }
            Item::Override(rule) => self.braced(&override_head(rule), |printer| {
                printer.blocks(Some(&rule.matches), rule.wheres.as_ref());
                printer.outcome(&rule.outcome);
                printer.tests(&rule.tests);
            }),
            item => {
                let line = CANONICAL.line(item).unwrap_or_default();
                self.line(&line);
            }
        }
    }

    fn strategy(&mut self, strategy: &Strategy) {
        self.braced(&format!("strategy {}", strategy.name.item), |printer| {
            if let Some(loader) = &strategy.loader {
                printer.line(&format!("loader {}", loader.item));
            }
            if !strategy.sites.is_empty() {
                let sites: Vec<&str> = strategy.sites.iter().map(|site| site.item.as_str()).collect();
                printer.line(&format!("sites {}", sites.join(", ")));
            }
            if strategy.portable.is_some() {
                printer.line("portable");
            }
            printer.items(&strategy.items);
        });
    }

    fn rule(&mut self, rule: &Rule) {
        self.braced(&format!("rule {}", rule.name.item), |printer| {
            printer.blocks(Some(&rule.matches), rule.wheres.as_ref());
            if let Some(policy) = &rule.attributes {
                printer.line(&format!("attributes {}", policy.item));
            }
            printer.outcome(&rule.outcome);
            printer.tests(&rule.tests);
        });
    }

    fn blocks(&mut self, matches: Option<&Match>, wheres: Option<&Where>) {
        if let Some(matches) = matches {
            self.lines("match", matches.patterns.iter().map(|item| CANONICAL.match_item(item)));
        }
        if let Some(wheres) = wheres {
            self.lines("where", wheres.clauses.iter().map(|clause| CANONICAL.clause(clause)));
        }
    }

    fn lines(&mut self, keyword: &str, lines: impl Iterator<Item = String>) {
        self.braced(keyword, |printer| lines.for_each(|line| printer.line(&line)));
    }

    fn rewrite(&mut self, rewrite: Option<&Rewrite>) {
        if let Some(rewrite) = rewrite {
            self.lines("rewrite", rewrite.statements.iter().map(|statement| CANONICAL.statement(statement)));
        }
    }

    fn outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::Rewrite(block) => self.rewrite(Some(block)),
            Outcome::Reject(text) => self.line(&CANONICAL.reject(&text.item)),
        }
    }

    fn tests(&mut self, tests: &[Test]) {
        for test in tests {
            self.line(&format!("{} {{{}}}", test_head(test), test.input.item));
        }
    }
}
