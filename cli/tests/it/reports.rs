//! What went wrong in other systems, as small inputs: each ends as it should. An input's head says which report it is of,
//! what is right, and how relo is called; the snapshot is what comes of it.

use std::path::Path;
use std::process::Command;

use relo_testkit::{Case, cases, root, snapshots};

use crate::support::{folder, manifest, sites_of};

fn inputs() -> Vec<Case> {
    let folder = root().join("cli/tests/data/reports");
    let mut all = cases(&folder, "ll");
    all.extend(cases(&folder, "mlir"));
    all
}

/// Calls relo as the input says, in a folder of its own; what it says and makes.
fn outcome(case: &Case, folder: &Path) -> String {
    // What a file is called is in an object's symbol table.
    let extension = case.path.extension().expect("it has one").to_str().expect("UTF-8");
    let file = &format!("input.{extension}");
    std::fs::copy(&case.path, folder.join(file)).expect("copied");
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command.current_dir(folder).args(["compile", file, "-o", "out"]);
    command.args(case.get("relo").expect("how relo is called").split_whitespace());
    let entries: Vec<&str> = case.all("session").collect();
    if !entries.is_empty() {
        let table = format!("{{\"entries\": [\n{}\n]}}\n", entries.join(",\n"));
        std::fs::write(folder.join("session.json"), table).expect("written");
        command.args(["--session", "session.json"]);
    }
    let output = command.output().expect("relo runs");
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        assert!(!folder.join("out").exists(), "{}: a file is left behind", case.name);
        return text;
    }
    let manifest = manifest(&folder.join("out"));
    text.push_str(&format!("portable: {}\n", manifest["portable"]));
    for site in sites_of(&manifest) {
        text.push_str(&format!("{} + {}: {} {}\n", site.symbol, site.offset, site.action, site.referent));
    }
    if let Ok(artifact) = String::from_utf8(std::fs::read(folder.join("out")).expect("written")) {
        text.push('\n');
        text.push_str(&code(&artifact));
    }
    text
}

/// What an artifact of text says, without what every one says.
fn code(artifact: &str) -> String {
    let head = ["; ModuleID", "source_filename", "target ", "attributes ", "//", "\t.file"];
    let lines = artifact.lines().filter(|line| !head.iter().any(|start| line.starts_with(start)));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim().to_owned() + "\n"
}

#[test]
fn reports_end_as_they_should() {
    let cases = inputs();
    for case in &cases {
        let folder = folder();
        let said = outcome(case, folder.path());
        if let Some(other) = case.get("same") {
            let other = cases.iter().find(|case| case.name == other).expect("it is another input");
            let there = tempfile::tempdir().expect("a temporary folder");
            assert_eq!(said, outcome(other, there.path()), "{}", case.name);
            let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).expect("written");
            for name in ["out", "out.reloc.json"] {
                assert!(
                    read(folder.path(), name) == read(there.path(), name),
                    "{}: {name} differs",
                    case.name
                );
            }
        }
        let right = [case.get("report"), case.get("right")].map(|line| line.expect("the head says so"));
        snapshots("reports", || {
            insta::assert_snapshot!(case.name.clone(), format!("{}\n{}\n\n{said}", right[0], right[1]));
        });
    }
}
