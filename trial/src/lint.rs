//! Rules without tests: each wants one that fires and one that almost does.

use relo_engine::{Finding, Pack};
use relo_grammar::span::{Source, Span};
use relo_grammar::tree::{Expectation, Item, Test};

/// A warning for each rule of a pack that has no test in which it fires, or none in which it must not.
pub fn untested(pack: &Pack) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (source, file) in &pack.files {
        items(source, &file.items, &mut findings);
    }
    findings
}

fn items(source: &Source, items: &[Item], findings: &mut Vec<Finding>) {
    for item in items {
        match item {
            Item::Rule(rule) => check(source, &rule.name.item, rule.name.span, &rule.tests, findings),
            Item::Override(item) => {
                let name = item.target.item.last().map_or("", |name| &name.item);
                check(source, name, item.target.span, &item.tests, findings);
            }
            Item::Strategy(strategy) => self::items(source, &strategy.items, findings),
            Item::Family(family) => self::items(source, &family.items, findings),
            _ => {}
        }
    }
}

fn check(source: &Source, name: &str, span: Span, tests: &[Test], findings: &mut Vec<Finding>) {
    let near_miss = tests.iter().any(|test| test.expectation == Expectation::Unchanged);
    let positive =
        tests.iter().any(|test| matches!(test.expectation, Expectation::Snapshot | Expectation::Rejects(_)));
    let missing = match (positive, near_miss) {
        (true, true) => return,
        (false, false) => "no test",
        (false, true) => "no test in which it fires",
        (true, false) => "no near miss: a test in which it must not fire",
    };
    findings.push(
        Finding::error("relo::test::untested", source, span, format!("rule `{name}` has {missing}"))
            .warning()
            .label("this rule")
            .help(
                "write `test \"…\" { … }`, and `test \"…\" unchanged { … }` for input that it almost matches",
            ),
    );
}
