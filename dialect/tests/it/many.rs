//! More rules than MLIR has numbers for in a set of patterns: which of them is tried first holds all the same.

use std::fmt::Write as _;

use relo_dialect::{Context, Module, Surroundings, natives};
use relo_engine::normal::Phase;
use relo_referent::SessionTable;
use relo_testkit::render;

use crate::how::{How, rules};

/// A rule for each constant below `count`; before them one for some of these, behind them one for all.
fn file(count: usize) -> String {
    let mut text = "pack t\nphase lift\n".to_owned();
    let mut rule = |name: &str, value: &str, condition: &str| {
        let _ = writeln!(
            text,
            "rule {name} {{ match {{ %c = llvm.mlir.constant {{ value = {value} }} : i64 }} {condition} \
             rewrite {{ %c = llvm.mlir.undef : i64 }} }}"
        );
    };
    rule("a", "$n", "where { aligned_down($n, 7) == 7 }");
    for number in 0..count {
        rule(&format!("n{number}"), &number.to_string(), "");
    }
    rule("z", "$_n", "");
    text
}

/// `RELO_MANY=70000` tries more than 16 bits tell apart.
#[test]
fn many_rules_keep_their_order() {
    let count: usize = std::env::var("RELO_MANY").map_or(600, |count| count.parse().expect("a number"));
    let rules = rules(&file(count)).unwrap_or_else(|error| panic!("{}", render(&error)));
    let rules = rules.phase(Phase::Lift);
    assert_eq!(rules.len(), count + 2);
    let (context, session) = (Context::new(), SessionTable::default());
    let surroundings = Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives };
    // By the paths in the order of texts, n99 is the last of the numbers.
    let wanted = [("z", count), ("n99", 99), ("n100", 100), ("a", 13), ("a", 7), ("n6", 6)];
    let mut text = "llvm.func @f() {\n".to_owned();
    for (at, (_, value)) in wanted.iter().enumerate() {
        let _ = writeln!(text, "%c{at} = llvm.mlir.constant({value} : i64) : i64");
    }
    text.push_str("llvm.return\n}\n");
    let mut module = Module::parse(&context, text.as_bytes(), "module").expect("it is right");
    let outcome =
        How::Patterned.run(&mut module, Phase::Lift, rules, &surroundings).expect("they come to an end");
    let fired: Vec<&str> = outcome.trace.iter().rev().map(|fired| &*fired.rule).collect();
    let wanted: Vec<String> = wanted.iter().map(|(name, _)| format!("t.{name}")).collect();
    assert_eq!(fired, wanted);
}
