//! Large and hostile texts: no overflow of the stack, and work that grows with the text.

use std::time::{Duration, Instant};

use relo_grammar::span::Source;
use relo_grammar::{format, parse};

/// Texts of one unit `n` times, whose reading must not take time that grows faster than `n`.
const UNITS: [&str; 37] = [
    "rule a { match { t.a %p { x = 1 } : $T } where { is_word($T) } rewrite { erase } }\n",
    "(",
    ")",
    "{",
    "}",
    "[1, 2)\n",
    "(\n",
    "{\n}}\n",
    "rule a {\n",
    "rule a { match {\n",
    "rule a { where { f(\n",
    "strategy s {\n",
    "for $W in { i32 } {\n",
    "match {\n",
    "\"",
    "\"\n",
    "\"\\",
    "/",
    "/x\n",
    "#a.b<",
    "!a<",
    "!a<\"",
    "${",
    "%",
    "'",
    "test \"x\" {\n",
    "test \"x\" { \"\\\"\\\"\n",
    "/// doc\n",
    "// comment\n",
    "\n",
    ";",
    "a\n",
    "prefer a over\n",
    "a,",
    "a and\n",
    "not ",
    "é",
];

#[test]
fn work_is_linear() {
    let slow: Vec<_> = UNITS.iter().filter_map(|unit| grows(("", unit, ""), 10_000)).collect();
    assert!(slow.is_empty(), "{slow:#?}");
}

/// The unit and two times, if reading four times the text takes more than ten times the time, three times in a row:
/// quadratic work takes sixteen times, and the machine may be busy.
fn grows<'u>(
    (before, unit, after): (&str, &'u str, &str),
    bytes: usize,
) -> Option<(&'u str, Duration, Duration)> {
    let time = |n: usize| {
        let source = Source::new("scale", format!("{before}{}{after}", unit.repeat(n)));
        let start = Instant::now();
        let _ = parse(&source);
        let _ = format(&source);
        start.elapsed()
    };
    let n = bytes / unit.len();
    let mut last = None;
    for _ in 0..3 {
        let (small, large) = (time(n), time(4 * n));
        if large <= small.max(Duration::from_millis(5)) * 10 {
            return None;
        }
        last = Some((unit, small, large));
    }
    last
}

/// One line, block or item that holds very much of one thing.
#[test]
fn wide_pieces_are_linear() {
    let wide: [(&str, &str, &str); 10] = [
        ("rule a {\n    match {\n", "        t.a %p\n", "    }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a ", "%p, ", "%p }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a { ", "x = 1, ", "} }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a { ", "x = 1, // c\n", "} }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a { x = [", "1, ", "1] } }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a }\n    where { f(", "$a, ", "$a) }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a }\n    where { ", "not a and ", "a }\n    rewrite { erase }\n}\n"),
        ("rule a {\n    match { t.a }\n    reject \"", "{$a} \\n", "\"\n}\n"),
        ("rule a {\n    match { t.a }\n    rewrite { erase }\n", "    test \"x\" { {} }\n", "}\n"),
        ("strategy s {\n", "    rule a {\n        match { t.a }\n        reject \"x\"\n    }\n", "}\n"),
    ];
    let slow: Vec<_> = wide.into_iter().filter_map(|shape| grows(shape, 8_000)).collect();
    assert!(slow.is_empty(), "{slow:#?}");
}

/// The deepest texts that are read, and deeper ones, on a thread with the stack of a test.
#[test]
fn depth_is_bounded() {
    let shapes: [(&str, &str, &str, &str); 9] = [
        ("where { ", "(", ")", "a"),
        ("where { ", "f(", ")", "a"),
        ("where { ", "[", "]", "a"),
        ("where { ", "not (a and ", ")", "a"),
        ("where { ", "#a.b<", ">", "$a"),
        ("where { ", "f([not (#a.b<(", ")>)])", "a"),
        ("where { a == ", "!t<", ">", "!t"),
        ("rewrite { t.x ", "(t.y ", ")", "%p"),
        ("rewrite { t.x ", "(t.y { a = ", " })", "%p"),
    ];
    for (block, open, close, inner) in shapes {
        for depth in [16, 63, 64, 65, 1000, 10_000] {
            let (opened, closed) = (open.repeat(depth), close.repeat(depth));
            let text = format!("rule a {{\n    match {{ t.a }}\n    {block}{opened}{inner}{closed} }}\n}}\n");
            let source = Source::new("deep", text);
            let (_, errors) = parse(&source);
            let deep = errors.iter().any(|error| error.code == "relo::syntax::nesting");
            assert!(deep || depth < 65 || open == "!t<", "{open} {depth}: {errors:#?}");
            let _ = format(&source);
        }
    }
    for operator in [" + ", " and ", " or ", " and not ", " + (1) + "] {
        let chain = vec!["a"; 20_000].join(operator);
        let text =
            format!("rule a {{\n    match {{ t.a }}\n    where {{ {chain} }}\n    rewrite {{ erase }}\n}}\n");
        let (_, errors) = parse(&Source::new("deep", text));
        assert!(errors.iter().any(|error| error.code == "relo::syntax::nesting"), "{operator}");
    }
}
