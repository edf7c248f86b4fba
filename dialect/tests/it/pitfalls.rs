//! Each pitfall of PDL has a section that says why rules can't get there, and names tests and cases that are there.

use relo_testkit::root;

const PITFALLS: usize = 25;

#[test]
fn each_is_held_by_something() {
    let text = std::fs::read_to_string(root().join("docs/pdl-pitfalls.md")).expect("it is there");
    let sections: Vec<&str> = text.split("\n## ").skip(1).collect();
    assert_eq!(sections.len(), PITFALLS);
    let mut wrong = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        let name = format!("D{}", index + 1);
        assert!(section.starts_with(&format!("{name}: ")), "{name} is missing: {section}");
        let holders = section.split("\nHeld by ").nth(1).unwrap_or_default();
        let holders: Vec<&str> = holders.split('`').skip(1).step_by(2).collect();
        if holders.is_empty() {
            wrong.push(format!("{name} is held by nothing"));
        }
        wrong.extend(
            holders
                .into_iter()
                .filter(|holder| !is_there(holder))
                .map(|holder| format!("{name}: there is no `{holder}`")),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file, or a test in it: `file.rs::test`.
fn is_there(holder: &str) -> bool {
    let (file, test) = holder.split_once("::").map_or((holder, None), |(file, test)| (file, Some(test)));
    let Ok(text) = std::fs::read_to_string(root().join(file)) else { return false };
    test.is_none_or(|test| text.contains(&format!("fn {test}() {{")))
}

#[test]
fn what_is_not_there_is_noticed() {
    assert!(is_there("dialect/tests/it/pitfalls.rs::each_is_held_by_something"));
    assert!(!is_there("dialect/tests/it/pitfalls.rs::nothing_of_that_name"));
    assert!(!is_there("dialect/tests/it/nothing_of_that_name.rs"));
}
