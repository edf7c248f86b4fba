//! Why a rule does not hold: each kind of obstacle, in words.

use relo_engine::{Datum, Op, Value, why_not};
use relo_testkit::snapshots;

use crate::toy::{ToyHost, ToyOp, natives, rules};

/// A comparison (op 3) of a load with itself, of the address in op 0; op 2 loads an argument.
fn host() -> ToyHost {
    let load = |pointer, word| ToyOp {
        name: "toy.load",
        operands: vec![Value(pointer)],
        results: vec![Value(word)],
        attributes: vec![("alignment", Datum::Int(8)), ("ordering", Datum::Str("relaxed".into()))],
    };
    ToyHost::new(vec![
        ToyOp { name: "toy.address", results: vec![Value(2)], ..ToyOp::default() },
        load(2, 3),
        load(9, 5),
        ToyOp {
            name: "toy.compare",
            operands: vec![Value(3), Value(5)],
            results: vec![Value(7)],
            attributes: vec![("predicate", Datum::Str("eq".into()))],
        },
    ])
}

/// Matches, conditions, and the operation that is asked about.
const CASES: [(&str, &str, usize); 16] = [
    ("toy.load %_p", "", 3),
    ("toy.load (toy.address)", "", 2),
    ("toy.load (toy.load %_p)", "", 1),
    ("%w = toy.load %_p; toy.compare %w, %w", "", 3),
    ("toy.compare %x, %x", "", 3),
    ("toy.load %_p { volatile }", "", 1),
    ("toy.load %_p { !alignment }", "", 1),
    ("toy.load %_p { ordering = acquire }", "", 1),
    ("toy.load %_p { alignment? = 16 }", "", 1),
    ("toy.load %_p : i32", "", 1),
    ("%w = toy.load %p", "is_even(%p); is_even(%w)", 1),
    ("toy.load %p { alignment = $a }", "$a + 8 > alignment(%p)", 1),
    ("%w = toy.load %p", "is_even(%p) and (is_even(%w) or alignment(%w) == 16)", 1),
    ("%w = toy.load %p", "not is_even(%p); is_even(%w)", 1),
    ("%w = toy.load %_p", "$n in [8, 16, 24]; $n > 8; $n == alignment(%w) - 1", 1),
    ("%w = toy.load %p", "$n = alignment(%w); $n = alignment(%p)", 1),
];

#[test]
fn obstacles_are_told() {
    let mut told = String::new();
    for (matches, wheres, op) in CASES {
        let wheres = if wheres.is_empty() { String::new() } else { format!("where {{ {wheres} }}") };
        let text = format!("pack t\nphase lift\nrule r {{ match {{ {matches} }} {wheres} reject \"no\" }}\n");
        let set = rules("r.relo", &text).unwrap_or_else(|error| panic!("{text}{error:?}"));
        let obstacle = why_not(&set.rules()[0], Op(op), &mut host(), &natives()).expect("it does not hold");
        let place = &text[obstacle.span.range()];
        told.push_str(&format!(
            "{matches} {wheres}\n  at `{place}`\n  {obstacle}\n  {:?}\n",
            obstacle.failure
        ));
    }
    snapshots("engine", || insta::assert_snapshot!("why_not", told));
}
