//! Which rules, and which clauses of a `where`, no test exercises.

use std::collections::{BTreeMap, BTreeSet};

use relo_engine::Pack;
use relo_grammar::span::{Source, Span};
use relo_grammar::tree::{Clause, Item, Test, Where};

use crate::gather::rule_path;
use crate::judge::Outcome;
use crate::mutate::percent;

/// How far tests exercise a rule.
#[derive(Clone, Debug)]
pub struct RuleCoverage {
    /// Its pack.
    pub pack: String,
    /// Its path.
    pub rule: String,
    /// The file.
    pub source: Source,
    /// Where its name stands.
    pub span: Span,
    /// Its lines, without those of its tests.
    pub text: Span,
    /// How many tests of its own it has.
    pub tests: usize,
    /// Whether it fires or rejects in some test.
    pub fires: bool,
    /// Its clauses that can fail: where each stands, and whether it decides some test, being the first that does not
    /// hold.
    pub clauses: Vec<(Span, bool)>,
}

impl RuleCoverage {
    /// The line of its name.
    pub fn line(&self) -> usize {
        line(&self.source, self.span)
    }

    /// The clauses that decide no test, with their lines.
    pub fn idle(&self) -> impl Iterator<Item = (usize, &str)> {
        let idle = self.clauses.iter().filter(|(_, decides)| !decides);
        idle.map(|(span, _)| (line(&self.source, *span), &self.source.text[span.range()]))
    }
}

fn line(source: &Source, span: Span) -> usize {
    1 + source.text[..span.start].matches('\n').count()
}

/// Coverage of some packs' rules.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The rules, in the order of the files.
    pub rules: Vec<RuleCoverage>,
}

impl Coverage {
    /// The share of rules that fire in some test, in per cent.
    pub fn rules_covered(&self) -> f64 {
        percent(self.rules.iter().filter(|rule| rule.fires).count(), self.rules.len())
    }

    /// The share of clauses that decide some test, in per cent.
    pub fn clauses_covered(&self) -> f64 {
        let clauses = || self.rules.iter().flat_map(|rule| &rule.clauses);
        percent(clauses().filter(|(_, decides)| *decides).count(), clauses().count())
    }

    /// The part that is about one pack.
    #[must_use]
    pub fn of(&self, pack: &str) -> Self {
        Self { rules: self.rules.iter().filter(|rule| rule.pack == pack).cloned().collect() }
    }
}

/// What the tests' outcomes cover of the packs' rules.
pub fn coverage(packs: &[&Pack], outcomes: &[Outcome]) -> Coverage {
    let mut fired: BTreeSet<&str> = BTreeSet::new();
    let mut failed: BTreeMap<&str, BTreeSet<Span>> = BTreeMap::new();
    let mut certain: BTreeMap<&str, &BTreeSet<Span>> = BTreeMap::new();
    for outcome in outcomes {
        if let Some(rule) = &outcome.test.rule {
            certain.insert(rule, &outcome.observed.certain);
        }
        fired.extend(outcome.observed.rules());
        for (rule, spans) in &outcome.observed.failed {
            failed.entry(rule).or_default().extend(spans);
        }
        if let Some(missed) = &outcome.observed.nearest
            && let Some(obstacle) = &missed.obstacle
        {
            failed.entry(&missed.rule).or_default().insert(obstacle.span);
        }
    }
    let mut coverage = Coverage::default();
    for pack in packs {
        for (source, file) in &pack.files {
            let mut found = Vec::new();
            items(&pack.name, &file.items, None, &mut found);
            for rule in found {
                let failed = failed.get(rule.path.as_str());
                let decides = |clause: &Span| {
                    failed.is_some_and(|spans| spans.iter().any(|span| clause.to(*span) == *clause))
                };
                let certain = certain.get(rule.path.as_str());
                let clauses = rule
                    .wheres
                    .iter()
                    .flat_map(|wheres| &wheres.clauses)
                    .map(clause_span)
                    .filter(|clause| !certain.is_some_and(|spans| spans.contains(clause)));
                coverage.rules.push(RuleCoverage {
                    pack: pack.name.clone(),
                    source: source.clone(),
                    span: rule.name,
                    text: rule.lines(source),
                    tests: rule.tests.len(),
                    fires: fired.contains(rule.path.as_str()),
                    clauses: clauses.map(|span| (span, decides(&span))).collect(),
                    rule: rule.path,
                });
            }
        }
    }
    coverage
}

fn clause_span(clause: &Clause) -> Span {
    match clause {
        Clause::Bind { span, .. } => *span,
        Clause::Test(condition) => condition.span,
    }
}

/// A rule as it is found in a file.
struct Found<'a> {
    path: String,
    name: Span,
    whole: Span,
    tests: &'a [Test],
    wheres: Option<&'a Where>,
}

impl Found<'_> {
    /// The lines of the rule up to its first test.
    fn lines(&self, source: &Source) -> Span {
        let start = |at: usize| source.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = self.tests.first().map_or(self.whole.end, |test| start(test.name.span.start));
        Span::new(start(self.whole.start), end)
    }
}

fn items<'a>(pack: &str, all: &'a [Item], strategy: Option<&str>, found: &mut Vec<Found<'a>>) {
    for item in all {
        match item {
            Item::Rule(rule) => found.push(Found {
                path: rule_path(pack, strategy, &rule.name.item),
                name: rule.name.span,
                whole: rule.span,
                tests: &rule.tests,
                wheres: rule.wheres.as_ref(),
            }),
            Item::Override(item) => {
                let names: Vec<&str> = item.target.item.iter().map(|name| name.item.as_str()).collect();
                found.push(Found {
                    path: names.join("."),
                    name: item.target.span,
                    whole: item.span,
                    tests: &item.tests,
                    wheres: item.wheres.as_ref(),
                });
            }
            Item::Strategy(inner) => items(pack, &inner.items, Some(&inner.name.item), found),
            Item::Family(family) => items(pack, &family.items, strategy, found),
            _ => {}
        }
    }
}
