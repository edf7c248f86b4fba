//! Rules that replace rules of other packs, and names that are there twice.

use std::collections::BTreeMap;

use relo_grammar::span::Source;
use relo_grammar::tree;

use super::declaring::Place;
use super::scope::{Declared, RuleItem, Scope, joined};
use crate::finding::{Finding, suggestion};

impl<'a> Scope<'a> {
    /// Puts each override in the place of the rule that it names.
    pub(super) fn apply_overrides(
        &mut self,
        overrides: Vec<(Place<'a>, &'a tree::Override)>,
        findings: &mut Vec<Finding>,
    ) {
        let mut done: BTreeMap<String, (&'a Source, &'a tree::Override)> = BTreeMap::new();
        for (place, item) in overrides {
            let path = joined(&item.target);
            if let Some((source, first)) = done.get(&path) {
                findings.push(
                    Finding::error(
                        "relo::check::override_twice",
                        place.source,
                        item.target.span,
                        format!("`{path}` is overridden twice"),
                    )
                    .label("overridden again")
                    .help("keep one of them: which one would win is nobody's choice")
                    .also(source, first.target.span, "overridden first"),
                );
                continue;
            }
            let mut found = false;
            for rule in self.rules.iter_mut().filter(|rule| rule.path == path) {
                found = true;
                rule.pack = place.pack;
                rule.source = place.source;
                rule.name = item.target.item.last().unwrap_or(rule.name);
                rule.matches = &item.matches;
                rule.wheres = item.wheres.as_ref();
                rule.outcome = &item.outcome;
                rule.attributes = None;
            }
            if !found && !self.is_unread(&path) {
                let help = suggestion(&path, self.rules.iter().map(|rule| rule.path.as_str()));
                findings.push(
                    Finding::error(
                        "relo::check::override_nothing",
                        place.source,
                        item.target.span,
                        format!("there is no rule `{path}` to override"),
                    )
                    .help(help),
                );
            }
            done.insert(path, (place.source, item));
        }
    }

    /// Reports rules and strategies that have the same name.
    pub(super) fn check_duplicates(&self, findings: &mut Vec<Finding>) {
        let mut rules: BTreeMap<String, &RuleItem> = BTreeMap::new();
        for rule in &self.rules {
            if let Some(first) = rules.insert(rule.path(), rule) {
                findings.push(
                    Finding::error(
                        "relo::check::duplicate_name",
                        rule.source,
                        rule.name.span,
                        format!("rule `{}` is defined twice", rule.path()),
                    )
                    .label("defined again")
                    .help("give one of them another name")
                    .also(first.source, first.name.span, "defined first"),
                );
            }
        }
        let mut strategies: BTreeMap<&str, &Declared<tree::Strategy>> = BTreeMap::new();
        for strategy in &self.strategies {
            if let Some(first) = strategies.insert(&strategy.item.name.item, strategy) {
                findings.push(
                    Finding::error(
                        "relo::check::duplicate_name",
                        strategy.source,
                        strategy.item.name.span,
                        format!("strategy `{}` is defined twice", strategy.item.name.item),
                    )
                    .label("defined again")
                    .help("give one of them another name")
                    .also(first.source, first.item.name.span, "defined first"),
                );
            }
        }
    }
}
