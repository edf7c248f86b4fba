//! `relo diff`: packs with one edit each, and what the edit is for those who use the pack.

use std::path::{Path, PathBuf};
use std::process::Command;

use relo_testkit::{Case, cases, root, snapshots};

use crate::support::{arg, folder, relo_ok};

fn data() -> PathBuf {
    root().join("cli/tests/data/diff")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("it is there").flatten() {
        std::fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

/// Makes the edits of a case: after `--- FILE` the old text, after `+++` the new one.
fn edit(case: &Case, pack: &Path) {
    let edits = case.text.split("--- ").skip(1);
    for edit in edits {
        let (file, rest) = edit.split_once('\n').expect("a file's name ends with its line");
        let (old, new) = rest.split_once("+++\n").expect("old and new");
        let (old, new) = (old.strip_suffix('\n').unwrap_or(old), new.strip_suffix('\n').unwrap_or(new));
        let path = pack.join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let edited = if old.is_empty() { text + new + "\n" } else { text.replacen(old, new, 1) };
        std::fs::write(&path, edited).expect("written");
    }
}

/// What `relo diff` says of two folders, which are in one.
fn compared(folder: &Path, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command
        .current_dir(folder)
        .args(more)
        .args(["diff", "old", "new", "--corpus"])
        .arg(data().join("corpus"));
    let output = command.output().expect("relo runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn each_edit_has_its_class() {
    let mut wrong = Vec::new();
    for case in cases(&data(), "edit") {
        let folder = folder();
        copy(&data().join("base"), &folder.path().join("old"));
        copy(&data().join("base"), &folder.path().join("new"));
        edit(&case, &folder.path().join("new"));
        let said = compared(folder.path(), &[]);
        let class = case.get("class").expect("the head says so");
        // Whatever happens in its target, the other packs are what they were.
        assert!(!said.lines().any(|line| line.starts_with("core: ")), "{}: {said}", case.name);
        let is_right = match class {
            "none" => said.starts_with("nothing changed: ") && said.lines().count() == 1,
            class => said.lines().any(|line| line == format!("mine: {class}")),
        };
        if !is_right {
            wrong.push(format!("{} is to be {class}:\n{said}", case.name));
        }
        if class != "none" {
            snapshots("diff", || insta::assert_snapshot!(case.name.clone(), said));
        }
        // What is more when it comes is less when it goes.
        if class == "minor" {
            std::fs::rename(folder.path().join("old"), folder.path().join("kept")).expect("renamed");
            std::fs::rename(folder.path().join("new"), folder.path().join("old")).expect("renamed");
            std::fs::rename(folder.path().join("kept"), folder.path().join("new")).expect("renamed");
            let said = compared(folder.path(), &[]);
            if !said.lines().any(|line| line == "mine: major") {
                wrong.push(format!("{} backwards is to be major:\n{said}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn json_says_the_same() {
    let folder = folder();
    copy(&data().join("base"), &folder.path().join("old"));
    copy(&data().join("base"), &folder.path().join("new"));
    assert_eq!(compared(folder.path(), &["--format", "json"]), "{\"packs\":{}}\n");
    let case = cases(&data(), "edit").into_iter().find(|case| case.name == "a_cell_is_open");
    edit(&case.expect("it is there"), &folder.path().join("new"));
    let said = compared(folder.path(), &["--format", "json"]);
    let lines: Vec<serde_json::Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect();
    let (last, changes) = lines.split_last().expect("lines");
    assert_eq!(last["packs"]["mine"], "major");
    let cell =
        changes.iter().find(|change| change["subject"].as_str().is_some_and(|of| of.starts_with("cell")));
    let cell = cell.expect("a cell changes");
    assert_eq!(cell["because"], serde_json::json!(["mine.put.load"]));
    assert_eq!(cell["targets"], serde_json::json!(["here"]));
    assert!(cell["witness"].as_str().is_some_and(|witness| witness.contains("reloc.load")), "{cell}");
}

#[test]
fn shipped_packs_do_not_differ_from_themselves() {
    let rules = root().join("rules");
    let said = relo_ok(&["diff", arg(&rules), arg(&rules)]);
    assert!(said.starts_with("nothing changed: "), "{said}");
}

#[test]
fn wrong_rules_are_refused() {
    let folder = folder();
    copy(&data().join("base"), &folder.path().join("old"));
    copy(&data().join("base"), &folder.path().join("new"));
    let refused = |new: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
        let output =
            command.current_dir(folder.path()).args(["diff", "old", new]).output().expect("relo runs");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("nowhere").contains("relo::pack::read"));
    std::fs::write(
        folder.path().join("new/lift.relo"),
        "pack mine\nphase lift\nrule r { match { llvm.laod %p } }\n",
    )
    .expect("written");
    let said = refused("new");
    assert!(said.contains("new/lift.relo"), "{said}");
}
