//! Conditions, decided over the toy IR.

use relo_engine::evaluate::{evaluate, message};
use relo_engine::normal::Outcome;
use relo_engine::{Datum, Op, Value};

use crate::toy::{ToyHost, ToyOp, natives, rules};

/// An address (value 2) and a load of it (value 3), with attributes.
fn host(attributes: Vec<(&'static str, Datum)>) -> ToyHost {
    ToyHost::new(vec![
        ToyOp { name: "toy.address", results: vec![Value(2)], ..ToyOp::default() },
        ToyOp { name: "toy.load", operands: vec![Value(2)], results: vec![Value(3)], attributes },
    ])
}

/// What a rule with this `where` says of the load; nothing where it does not hold.
fn said(wheres: &str, reject: &str, attributes: Vec<(&'static str, Datum)>) -> Option<String> {
    let text = format!(
        "pack t\nphase lift\nrule r {{\n    match {{ %p = toy.address; %w = toy.load %p {{ alignment? = $_a }} : $_T }}\n    \
         where {{ {wheres} }}\n    reject \"{{%w}} {reject}\"\n}}\n"
    );
    let set = rules("r.relo", &text).unwrap_or_else(|error| panic!("{text}{error:?}"));
    let rule = &set.rules()[0];
    let mut host = host(attributes);
    let bound = evaluate(rule, &[Op(0), Op(1)], &mut host, &natives()).ok()?;
    let Outcome::Reject { message: parts } = &rule.outcome else { panic!("it rejects") };
    Some(message(parts, &bound, &host))
}

#[test]
fn binds_and_tests() {
    let holds = |wheres: &str| said(wheres, "x", Vec::new()).is_some();
    assert!(holds("is_even(%p)"));
    assert!(!holds("is_even(%w)"));
    assert!(holds("not is_even(%w) and alignment(%p) == 16"));
    assert!(holds("is_even(%w) or alignment(%w) > 20"));
    assert!(holds("alignment(%p) + 8 == alignment(%w)"));
    assert!(!holds("alignment(%p) - 8 >= alignment(%w)"));
    assert!(holds(
        "\"toy.load\" starts_with \"toy\" and \"load\" ends_with \"ad\" and \"load\" contains \"oa\""
    ));
    assert!(holds("\"rt_true\" matches /^rt_[a-z]+$/"));
    assert!(holds("8 in [4, 8] and not 5 in [4, 8]"));
}

#[test]
fn members_are_tried_until_the_rest_holds() {
    let said = said("$n in [8, 16, 24]; $n == alignment(%p)", "is {$n}", Vec::new());
    assert_eq!(said.as_deref(), Some("%3 is 16"));
}

#[test]
fn what_is_bound_twice_is_equal() {
    assert!(said("$n = 16; $n = alignment(%p)", "{$n}", Vec::new()).is_some());
    assert!(said("$n = 8; $n = alignment(%p)", "{$n}", Vec::new()).is_none());
}

#[test]
fn optional_attributes_may_be_absent() {
    assert!(said("is_even(%p)", "", Vec::new()).is_some());
    assert!(said("is_even(%p)", "", vec![("alignment", Datum::Int(8))]).is_some());
}

#[test]
fn referents_are_built_from_parts() {
    let said = |text: &str| said(&format!("$r = {text}"), "{$r}", Vec::new());
    let symbol = said("#reloc.symbol<\"cos\" + 8, \"libm.so.6\">").expect("it holds");
    assert!(
        symbol.contains("cos") && symbol.contains("libm.so.6") && symbol.contains("addend: 8"),
        "{symbol}"
    );
    // A word before its symbol has no name.
    assert!(said("#reloc.word<\"jl_true\" - 8>").is_none());
    let anywhere = said("#reloc.word<\"jl_true\" + 8, \"\">").expect("it holds");
    assert!(anywhere.contains("library: None"), "{anywhere}");
}
