//! Many mistakes in one file: each is found where it is, and none makes another.

use std::collections::BTreeSet;

use relo_dialect::Checker;
use relo_engine::{Library, PackSource, Request, RuleSetError};
use relo_grammar::span::Source;
use relo_testkit::{packs, render, root};

/// A text without its brackets, and what they say: code, start and end of the part between them.
fn unmarked(marked: &str) -> (String, BTreeSet<(String, usize, usize)>) {
    let (mut text, mut wanted) = (String::new(), BTreeSet::new());
    let mut parts = marked.split('«');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (marked, rest) = part.split_once('»').expect("a bracket is closed");
        let (code, part) = marked.split_once(':').expect("a bracket begins with a code");
        wanted.insert((format!("relo::check::{code}"), text.len(), text.len() + part.len()));
        text.push_str(part);
        text.push_str(rest);
    }
    (text, wanted)
}

#[test]
fn planted_mistakes_are_found_and_no_others() {
    let path = root().join("dialect/tests/cases/planted.relo");
    let marked = std::fs::read_to_string(path).expect("it is there");
    let (text, wanted) = unmarked(&marked);
    assert!(wanted.len() >= 30, "{}", wanted.len());
    let mut all = packs();
    all.push(PackSource {
        yaml: Source::new("t/pack.yaml", "pack: t\nuses: [core]\nactive: request\n"),
        files: vec![Source::new("planted.relo", &*text)],
    });
    let (library, findings) = Library::new(&all);
    assert!(findings.is_empty(), "{findings:#?}");
    let request = Request { target: "x86_64-linux".into(), packs: vec!["t".into()], ..Request::default() };
    let Err(RuleSetError::Findings { findings, .. }) = Checker::default().rules(&library, &request) else {
        panic!("mistakes are found");
    };
    let place = |finding: &relo_engine::Finding| {
        let span = finding.labels[0].span;
        (finding.code.to_owned(), span.start, span.end)
    };
    let found: BTreeSet<_> = findings.iter().map(place).collect();
    let unwanted: Vec<String> = findings
        .iter()
        .filter(|finding| !wanted.contains(&place(finding)))
        .map(|finding| render(finding))
        .collect();
    let missing: Vec<_> =
        wanted.difference(&found).map(|(code, start, end)| (code, &text[*start..*end])).collect();
    assert!(
        missing.is_empty() && unwanted.is_empty(),
        "missing: {missing:#?}\nfound besides: {}",
        unwanted.join("\n")
    );
    assert_eq!(findings.len(), wanted.len(), "each is told once");
}
