//! Well-formed files: what is printed and how they are formatted.

use relo_grammar::span::Source;
use relo_grammar::{format, print};

use crate::cases::{cases, folder, meaning, name, parsed, snapshot};

#[test]
fn files_print_and_format() {
    for source in cases(&folder("tests/ok")) {
        let tree = parsed(&source);
        let printed = print(&tree);
        snapshot("printed", name(&source), &printed);
        let again = parsed(&Source::new(&*source.name, &*printed));
        assert_eq!(meaning(&again), meaning(&tree), "printing {} changes it", source.name);

        let formatted = format(&source).expect("it parses");
        snapshot("formatted", name(&source), &formatted);
        let formatted_source = Source::new(&*source.name, &*formatted);
        let again = parsed(&formatted_source);
        assert_eq!(print(&again), printed, "formatting {} changes it", source.name);
        assert_eq!(docs(&again), docs(&tree), "formatting {} loses docs", source.name);
        assert_eq!(comments(&formatted), comments(&source.text), "formatting {} loses comments", source.name);
        let twice = format(&formatted_source).expect("it parses");
        assert_eq!(twice, formatted, "formatting {} twice is not the same", source.name);
    }
}

fn docs(file: &relo_grammar::tree::File) -> Vec<String> {
    let regex = regex::Regex::new(r#"doc: \[("([^"\\]|\\.)*"(, )?)*\]"#).expect("a regular expression");
    let text = format!("{file:?}");
    regex.find_iter(&text).map(|found| found.as_str().to_owned()).collect()
}

/// Everything behind `//`, whatever it is part of, in the order of the alphabet: comments may move.
fn comments(text: &str) -> Vec<&str> {
    let mut comments: Vec<&str> =
        text.lines().filter_map(|line| line.find("//").map(|at| line[at..].trim_end())).collect();
    comments.sort_unstable();
    comments
}
