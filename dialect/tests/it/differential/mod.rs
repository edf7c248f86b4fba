//! The compiled patterns and the reference interpreter, over generated rules and modules: the same rewrites, in the same
//! order, with the same result. `RELO_DIFFERENTIAL=10000` runs as many pairs.

pub mod choices;
pub mod generated;
mod modules;
mod rules;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::any;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use relo_dialect::{Context, DialectError, Module, Outcome, Surroundings, natives};
use relo_engine::RuleSet;
use relo_engine::normal::Phase;
use relo_referent::SessionTable;
use relo_testkit::render;

use crate::how::{How, rules as rules_of};
use choices::Choices;

#[test]
fn patterns_and_interpreter_agree() {
    let cases =
        std::env::var("RELO_DIFFERENTIAL").map_or(300, |count| count.parse().expect("a number of pairs"));
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 3000, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let counts: RefCell<BTreeMap<&str, usize>> = RefCell::default();
    let result = TestRunner::new_with_rng(config, rng).run(
        &proptest::collection::vec(any::<u16>(), 40..240),
        |numbers| {
            let kind = agree(&numbers).map_err(TestCaseError::fail)?;
            *counts.borrow_mut().entry(kind).or_default() += 1;
            Ok(())
        },
    );
    let counts = counts.into_inner();
    eprintln!("{counts:?}");
    if let Err(error) = result {
        panic!("{error}");
    }
    // A generator whose rules are wrong or never fire would prove nothing. Some sets have rules that take each other's
    // results, or take everything from another.
    let share = |kind| counts.get(kind).copied().unwrap_or(0) * 100 / cases as usize;
    assert!(share("refused") < 25 && share("fired") > 35, "{counts:?}");
}

/// What a way of running the rules gives: outcome and module, or the error.
type Ran = Result<(Outcome, String, Vec<u8>), String>;

/// Runs a pair both ways; tells what kind of a pair it is, or how they disagree.
fn agree(numbers: &[u16]) -> Result<&'static str, String> {
    let mut choices = Choices::new(numbers);
    let (module, file) = (modules::module(&mut choices), rules::file(&mut choices));
    let rules = match rules_of(&file) {
        Ok(rules) => rules,
        Err(error) => {
            if std::env::var_os("RELO_DIFFERENTIAL_REFUSED").is_some() {
                eprintln!("{file}{}", render(&error));
            }
            return Ok("refused");
        }
    };
    // Half of the pairs have each rule in a set of its own, as phases of very many rules have some of them.
    let how = if numbers.len().is_multiple_of(2) { How::Separately } else { How::Patterned };
    let patterned = ran(&module, &rules, how);
    if matches!(&patterned, Err(message) if message.contains("relo::dialect::attribute")) {
        return Ok("refused");
    }
    let interpreted = ran(&module, &rules, How::Interpreted);
    if patterned != interpreted {
        let show = |ran: &Ran| match ran {
            Ok((outcome, text, _)) => {
                let trace = outcome.trace.iter().map(|fired| format!("{} at {}\n", fired.rule, fired.place));
                format!("{}{:?}\n{text}", trace.collect::<String>(), outcome.touched)
            }
            Err(message) => message.clone(),
        };
        return Err(format!(
            "{file}\n{module}\nPDL:\n{}\ninterpreter:\n{}",
            show(&patterned),
            show(&interpreted)
        ));
    }
    Ok(match &patterned {
        Ok((outcome, ..)) if outcome.fired.is_empty() => "quiet",
        Ok(_) => "fired",
        Err(message) if message.contains("rule::reject") => "rejected",
        Err(message) if message.contains("rule::endless") => "endless",
        Err(message) if message.contains("rule::invalid") => "invalid",
        Err(_) => "failed",
    })
}

fn ran(text: &str, rules: &RuleSet, how: How) -> Ran {
    let context = Context::new();
    let session = SessionTable::default();
    let surroundings = Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives };
    let mut module = Module::parse(&context, text.as_bytes(), "module").expect("it is generated");
    match how.run(&mut module, Phase::Lift, rules.phase(Phase::Lift), &surroundings) {
        // How often PDL asks, and calls natives, is its own matter.
        Ok(outcome) => Ok((
            Outcome { tried: BTreeMap::new(), calls: BTreeMap::new(), ..outcome },
            module.text(),
            module.bytecode(),
        )),
        // What is left of a module that does not come to an end is of no use, but the same.
        Err(
            error @ (DialectError::Endless { .. } | DialectError::Rejected(_) | DialectError::Unresolved(_)),
        ) => Err(format!("{}\n{}", render(&error), module.text())),
        Err(error) => Err(render(&error)),
    }
}
