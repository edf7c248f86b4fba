//! What can come of a test is told apart, and snapshots are insta's.

use relo_engine::{Library, PackSource};
use relo_grammar::span::Source;
use relo_testkit::packs;
use relo_trial::{Outcome, Run, Snapshots, Suite, Tally, Update, junit, run};

/// A pack with one rule, whose tests these are.
fn library(tests: &str) -> Library {
    let yaml = "pack: example\nuses: [core]\nactive: request\ntests: { target: x86_64-linux }\n";
    let rules = format!(
        "pack example\nphase lift\nrule dead_end {{\n    match {{ llvm.unreachable }}\n    reject \"never here\"\n{tests}\n}}\n\
         rule null {{\n    match {{ %z = llvm.mlir.zero : ptr }}\n    rewrite {{ %i = llvm.mlir.constant {{ value = 0 }} : i64; \
         %z = llvm.inttoptr %i : ptr }}\n{tests}\n}}\n"
    );
    let mut all = packs();
    all.push(PackSource {
        yaml: Source::new("example/pack.yaml", yaml),
        files: vec![Source::new("example/lift.relo", rules)],
    });
    let (library, findings) = Library::new(&all);
    assert!(findings.is_empty(), "{findings:?}");
    library
}

fn outcomes(library: &Library, snapshots: &Snapshots) -> Vec<Outcome> {
    let suite = Suite::gather(library, library.pack("example"));
    assert!(suite.findings.is_empty(), "{:?}", suite.findings);
    run(&suite, &Run { library, snapshots, threads: 2, interpret: false }, &|_| ())
}

fn told(outcomes: &[Outcome]) -> Vec<String> {
    outcomes.iter().map(|outcome| format!("{}: {}", outcome.test.title(), outcome.verdict.name())).collect()
}

const NULL: &str =
    "llvm.func @f() -> !llvm.ptr { %z = llvm.mlir.zero : !llvm.ptr llvm.return %z : !llvm.ptr }";
const END: &str = "llvm.func @f() { llvm.unreachable }";

#[test]
fn outcomes_are_told_apart() {
    let folder = tempfile::tempdir().expect("made");
    let snapshots = Snapshots::new(folder.path());
    let tests = format!(
        "test \"fires\" {{ {NULL} }}\ntest \"a near miss\" unchanged {{ {NULL} }}\n\
         test \"rejects\" rejects \"never\" {{ {END} }}\ntest \"another message\" rejects \"always\" {{ {END} }}\n\
         test \"later\" todo {{ {NULL} }}\ntest \"no MLIR\" {{ nonsense }}\n\
         test \"something else\" unchanged {{ llvm.func @f() }}"
    );
    let library = library(&tests);
    let first = outcomes(&library, &snapshots);
    assert_eq!(
        told(&first),
        [
            "example.dead_end \"fires\": did not fire",
            "example.dead_end \"a near miss\": broken",
            "example.dead_end \"rejects\": new",
            "example.dead_end \"another message\": broken",
            "example.dead_end \"later\": todo",
            "example.dead_end \"no MLIR\": broken",
            "example.dead_end \"something else\": broken",
            "example.null \"fires\": new",
            "example.null \"a near miss\": fired where it must not",
            "example.null \"rejects\": did not fire",
            "example.null \"another message\": did not fire",
            "example.null \"later\": todo works",
            "example.null \"no MLIR\": broken",
            "example.null \"something else\": broken",
        ]
    );
    let tally = Tally::of(&first);
    assert!(!tally.is_fine() && tally.tests == 14 && tally.new == 2, "{tally}");
    for outcome in &first {
        snapshots.update(outcome, Update::Pending).expect("written");
    }
    assert_eq!(snapshots.pending().expect("they are insta's").len(), 2);
    for pending in snapshots.pending().expect("they are insta's") {
        pending.accept().expect("written");
    }
    let second = outcomes(&library, &snapshots);
    assert_eq!(Tally::of(&second).right, 2);
    assert!(junit(&second).expect("written").contains("<failure message=\"fired where it must not\""));
    let path = snapshots.path(&second[7].test);
    assert!(path.ends_with("example/null/fires.snap"), "{}", path.display());
    let accepted = std::fs::read_to_string(&path).expect("accepted");
    std::fs::write(&path, accepted.replace("inttoptr", "bitcast")).expect("written");
    assert_eq!(outcomes(&library, &snapshots)[7].verdict.name(), "wrong");
}

#[test]
fn names_and_comments_of_the_input_do_not_count() {
    let folder = tempfile::tempdir().expect("made");
    let snapshots = Snapshots::new(folder.path());
    let text = |input: &str| {
        let library = library(&format!("test \"fires\" {{ {input} }}"));
        outcomes(&library, &snapshots)[1].text.clone()
    };
    let renamed = NULL.replace("%z", "%another_name").replace("-> !llvm.ptr {", "-> !llvm.ptr {\n  // why\n");
    assert_eq!(text(NULL), text(&renamed));
}

#[test]
fn heads_say_what_is_wrong() {
    for (head, message) in [
        ("// tagret: cuda", "a test has no setting `tagret`"),
        ("// target: none-such", "there is no target `none-such`"),
        ("// set: example.x", "a setting has a value"),
        ("// run: twice", "no such way to run"),
        ("// session: missing.json", "can't read the session table `missing.json`"),
        ("// session: {}", "the session table does not fit"),
    ] {
        let library = library(&format!("test \"fires\" {{\n{head}\n{NULL}\n}}"));
        let suite = Suite::gather(&library, library.pack("example"));
        assert_eq!(suite.tests.len(), 0, "{head}");
        assert!(
            suite.findings.iter().all(|finding| finding.message.starts_with(message)),
            "{:?}",
            suite.findings
        );
        assert_eq!(suite.findings.len(), 2, "{head}");
    }
}
