//! Files with mistakes, and what is said of them.

use std::collections::BTreeSet;

use relo_grammar::{format, parse};

use crate::cases::{cases, folder, name, parsed, render, snapshot};

#[test]
fn mistakes_are_told() {
    let cases = cases(&folder("tests/err"));
    assert!(cases.len() >= 40);
    for source in cases {
        let (_, errors) = parse(&source);
        // A file whose name says `several` has several mistakes, all others one.
        let several = source.name.starts_with("several");
        let shown = render(&source, &errors);
        snapshot("errors", name(&source), &shown);
        assert!(if several { errors.len() > 1 } else { errors.len() == 1 }, "{}:\n{shown}", source.name);
        for error in &errors {
            assert_eq!(Some(error.span), error.labels.first().map(|(span, _)| *span));
            assert!(error.code.starts_with("relo::syntax::"));
            assert!(error.help.is_some(), "{} has no help", error.message);
            assert!(!error.message.ends_with('.'), "{}", error.message);
        }
        assert_eq!(format(&source), Err(errors), "{}: mistakes are not formatted away", source.name);
    }
}

/// Every code is in a snapshot, so that none is said that nobody has looked at; and of each there is a near miss, named after
/// it, of which nothing is said.
#[test]
fn every_code_has_a_case_and_a_near_miss() {
    let said: BTreeSet<String> = cases(&folder("tests/err"))
        .iter()
        .flat_map(|source| parse(source).1)
        .map(|error| error.code.to_owned())
        .collect();
    let near: BTreeSet<String> = cases(&folder("tests/near"))
        .iter()
        .map(|source| {
            parsed(source);
            format!("relo::syntax::{}", name(source))
        })
        .collect();
    let code = regex::Regex::new("relo::syntax::[a-z_]+").expect("a regular expression");
    let mut known = BTreeSet::new();
    let mut sources = vec![folder("src")];
    while let Some(path) = sources.pop() {
        if path.is_dir() {
            sources.extend(
                std::fs::read_dir(path).expect("readable").map(|entry| entry.expect("readable").path()),
            );
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            known.extend(code.find_iter(line).map(|found| found.as_str().to_owned()));
        }
    }
    assert_eq!(said, known, "cases in tests/err");
    assert_eq!(near, known, "cases in tests/near");
}
