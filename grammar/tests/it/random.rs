//! Any text is read without a panic, and what is reported lies in the text.

use proptest::prelude::*;
use relo_grammar::span::Source;
use relo_grammar::tree::File;
use relo_grammar::{format, parse, print};

use crate::cases::{cases, folder, meaning, parsed, render};

/// Reads a text, and holds what is said of it to what holds of all texts.
fn read(text: &str) {
    let source = Source::new("random", text);
    let (tree, errors) = parse(&source);
    for error in &errors {
        for (span, _) in &error.labels {
            assert!(span.start <= span.end && span.end <= text.len(), "{error:?} lies outside");
            assert!(text.get(span.range()).is_some(), "{error:?} cuts a character");
        }
    }
    // A diagnostic that can't be shown is no diagnostic.
    render(&source, &errors[..errors.len().min(3)]);
    // What is in the tree was read well, whatever is wrong with the rest.
    let printed = print(&tree);
    let tree = File { unread: Vec::new(), ..tree };
    assert_eq!(meaning(&parsed(&Source::new("printed", &*printed))), meaning(&tree), "{printed}");
    match format(&source) {
        Ok(formatted) => {
            let again = Source::new("formatted", &*formatted);
            assert_eq!(print(&parsed(&again)), printed, "formatting changes it:\n{formatted}");
            assert_eq!(format(&again).as_deref(), Ok(&*formatted), "formatting twice differs");
        }
        Err(formatting) => assert_eq!(formatting, errors),
    }
}

/// Pieces of the language, which meet in ways that nobody writes.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "rule",
        "a",
        "match",
        "where",
        "rewrite",
        "reject",
        "test",
        "strategy",
        "for",
        "$W",
        "in",
        "prefer",
        "over",
        "because",
        "override",
        "fragment",
        "param",
        "pack",
        "phase",
        "use",
        "loader",
        "sites",
        "portable",
        "disjoint",
        "implies",
        "attributes",
        "drop",
        "site",
        "erase",
        "t.a",
        "t.b.c",
        "%p",
        "@g",
        "$r",
        "${x}",
        "_",
        "..",
        "..%r",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "=",
        "==",
        "!=",
        "<=",
        "+",
        "-",
        ",",
        ";",
        ":",
        "?",
        "!",
        "!t",
        "!t<1>",
        "#a.b",
        "#a.b<",
        "target.x",
        "f(",
        "cast",
        "not",
        "and",
        "or",
        "starts_with",
        "matches",
        "/x/",
        "\"text\"",
        "\"{$r}\"",
        "\"",
        "/",
        "8",
        "0x40",
        "-1",
        "true",
        "zero",
        "unchanged",
        "rejects",
        "todo",
        "// c\n",
        "/// d\n",
        "//! f\n",
        "\n",
        "\n\n",
        " ",
        "\r\n",
        "\t",
        "é",
        "'",
        "\\",
        "->",
        "&&",
        "#",
        "@",
        "%",
        "$",
        "${",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.join(" "))
}

/// Well-formed files, with some of their text taken out, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let files: Vec<String> = cases(&folder("tests/ok"))
        .into_iter()
        .map(|source| source.text.to_string())
        .filter(|t| !t.is_empty())
        .collect();
    let edit = (
        any::<prop::sample::Index>(),
        0..12_usize,
        prop::sample::select(vec![
            "", "{", "}", "(", ")", "\"", "/", ",", ";", "\n", "=", "//", "///", "<", ">", "é", " ",
        ]),
    );
    (prop::sample::select(files), prop::collection::vec(edit, 1..4)).prop_map(|(mut text, edits)| {
        for (at, length, insert) in edits {
            let floor = |mut at: usize| {
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                at
            };
            let start = floor(at.index(text.len().max(1)).min(text.len()));
            let end = floor((start + length).min(text.len())).max(start);
            text.replace_range(start..end, insert);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        read(&text);
    }

    #[test]
    fn any_bytes(text in prop::collection::vec(any::<char>(), 0..60)) {
        read(&text.into_iter().collect::<String>());
    }

    #[test]
    fn any_pieces(text in fragments()) {
        read(&text);
    }

    #[test]
    fn any_mutation(text in mutated()) {
        read(&text);
    }
}
