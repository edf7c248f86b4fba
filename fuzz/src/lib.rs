//! What holds of any text that relo reads but did not write: it is read without a panic, and what is said of it
//! can be shown. `targets/` has a fuzz target for each function here, `corpus/` what they have found worth keeping,
//! which `cargo test` reads again.

#[path = "../../engine/tests/it/toy.rs"]
#[allow(dead_code, missing_docs)]
mod toy;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, JSONReportHandler};
use relo_engine::{Finding, Library, PackSource, Request, RuleSet, RuleSetError};
use relo_grammar::span::{Source, Span};
use relo_grammar::{format, parse, print};

/// A target, by name.
pub type Target = (&'static str, fn(&str));

/// All of them.
pub const TARGETS: [Target; 5] = [
    ("grammar", grammar),
    ("checker", checker),
    ("pack_yaml", pack_yaml),
    ("session", session),
    ("manifest", manifest),
];

/// A target that reads bytes, by name.
pub type BinaryTarget = (&'static str, fn(&[u8]));

/// What reads bytes.
pub const BINARY: [BinaryTarget; 1] = [("cache_entry", cache_entry)];

/// A rule file is parsed; what is printed of it and formatted means the same.
pub fn grammar(text: &str) {
    let source = Source::new("random.relo", text);
    let (tree, errors) = parse(&source);
    for error in &errors {
        for (span, _) in &error.labels {
            assert_in(text, *span, &error.message);
        }
    }
    let printed = print(&tree);
    if errors.is_empty() {
        let (again, failed) = parse(&Source::new("printed.relo", &*printed));
        assert!(failed.is_empty(), "what is printed does not parse: {failed:?}\n{printed}");
        assert_eq!(print(&again), printed, "printing twice differs");
    }
    if let Ok(formatted) = format(&source) {
        let formatted = Source::new("formatted.relo", &*formatted);
        let (again, failed) = parse(&formatted);
        assert!(failed.is_empty(), "what is formatted does not parse: {failed:?}\n{}", formatted.text);
        assert_eq!(print(&again), printed, "formatting changes it:\n{}", formatted.text);
        assert_eq!(format(&formatted).as_deref(), Ok(&*formatted.text), "formatting twice differs");
    }
}

/// A rule file is checked; formatted it gives the same rules or the same findings.
pub fn checker(text: &str) {
    let digests = |text: &str| match toy::rules("random.relo", text) {
        Ok(rules) => Ok(rules.rules().iter().map(|rule| rule.digest.clone()).collect::<Vec<_>>()),
        Err(RuleSetError::Findings { findings, .. }) => {
            findings.iter().for_each(assert_shown);
            Err(findings.iter().map(|finding| finding.code).collect::<Vec<_>>())
        }
        Err(error) => panic!("{error}"),
    };
    let found = digests(text);
    if let Ok(formatted) = format(&Source::new("random.relo", text)) {
        assert_eq!(digests(&formatted), found, "formatting changes what it means:\n{formatted}");
    }
}

/// A `pack.yaml` is read, and the rules of each of its targets are checked.
pub fn pack_yaml(text: &str) {
    let file = Source::new(
        "t/rules.relo",
        "phase lift\nparam p: int = 1\nstrategy patch { loader write; sites slot }\n",
    );
    let other = "pack: other\ntargets: { elsewhere: { triple: t, emit: object, strategies: [] } }\n";
    let (library, findings) = Library::new(&[
        PackSource { yaml: Source::new("t/pack.yaml", text), files: vec![file] },
        PackSource { yaml: Source::new("other/pack.yaml", other), files: Vec::new() },
    ]);
    findings.iter().for_each(assert_shown);
    for (_, target) in library.targets() {
        let request = Request { target: target.name.clone(), with_session: true, ..Request::default() };
        if let Err(error) = RuleSet::new(&library, &request, &toy::signatures(), &toy::ToySchema) {
            assert_rendered(&error);
            if let RuleSetError::Findings { findings, .. } = error {
                findings.iter().for_each(assert_shown);
            }
        }
    }
}

/// A session table is read.
pub fn session(text: &str) {
    match relo_referent::SessionTable::parse(text, "random.session.json") {
        Ok(table) => {
            for (address, referent) in table.addresses() {
                assert_eq!(table.by_address(address), Some(referent));
                assert!(referent.malformed().is_none(), "{referent:?} is accepted");
            }
        }
        Err(error) => assert_rendered(&*error),
    }
}

/// A manifest is read; written again it is the same.
pub fn manifest(text: &str) {
    match relo_loader::Manifest::parse(text, "random.reloc.json") {
        Ok(manifest) => {
            let again = relo_loader::Manifest::parse(&manifest.to_json(), "again.reloc.json");
            assert_eq!(again.ok(), Some(manifest));
        }
        Err(error) => assert_rendered(&error),
    }
}

/// An entry of a cache is read, as it lies in the store and with the hash that it should have; written again it is the
/// same.
pub fn cache_entry(body: &[u8]) {
    // The corpus knows the key.
    let key = relo_cache::Key::from_hex(&"0".repeat(64)).expect("it is a hash in hex");
    let mut bytes = b"relo cache entry 1\n".to_vec();
    bytes.extend_from_slice(blake3::hash(body).as_bytes());
    bytes.extend_from_slice(body);
    for bytes in [body, &bytes] {
        if let Ok(entry) = relo_cache::Entry::decode(bytes, &key) {
            let again = relo_cache::Entry::decode(&entry.encode(&key), &key);
            assert_eq!(again.ok(), Some(entry));
        }
    }
}

/// A finding's places lie in its text, and it can be shown.
fn assert_shown(finding: &Finding) {
    for label in &finding.labels {
        assert_in(&finding.source.text, label.span, &finding.message);
    }
    finding.related.iter().for_each(assert_shown);
    assert_rendered(finding);
}

fn assert_in(text: &str, span: Span, message: &str) {
    assert!(text.get(span.range()).is_some(), "{message}: {span:?} does not lie in the text");
}

fn assert_rendered(diagnostic: &dyn Diagnostic) {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .render_report(&mut text, diagnostic)
        .expect("it can be shown to people");
    JSONReportHandler::new().render_report(&mut text, diagnostic).expect("it can be shown to programs");
}
