//! `docs/write-a-pack.md`, followed to the letter: what it makes is what is shipped, and runs.

use std::path::Path;
use std::process::Command;

use relo_testkit::root;

use crate::machines::{Call, Machine, words};
use crate::support::{arg, folder, manifest, relo_ok};

/// The fenced blocks of a page: what the fence says, and what stands in it.
fn blocks(page: &str) -> Vec<(String, String)> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    let block = |block: &str| {
        let (head, text) = block.split_once('\n').expect("a fence ends with its line");
        (head.to_owned(), format!("{text}\n"))
    };
    fenced.map(block).collect()
}

/// Does what the page says, in an empty folder: files are written, those called `snap` must be there and say so. A command
/// is `relo`, with arguments, and behind `!` it fails; the lines below it are among what it says.
pub fn follow(page: &str, folder: &Path) {
    for (head, text) in blocks(page) {
        match head.split_once(' ') {
            Some(("snap", path)) => {
                let there = std::fs::read_to_string(folder.join(path)).expect(path);
                assert!(there.contains(&text), "{path} is\n{there}");
            }
            Some((_, path)) => {
                let path = folder.join(path);
                std::fs::create_dir_all(path.parent().expect("in the folder")).expect("made");
                std::fs::write(path, text).expect("written");
            }
            None if head == "console" => text.split("$ ").skip(1).for_each(|command| obey(command, folder)),
            None => {}
        }
    }
}

fn obey(command: &str, folder: &Path) {
    let (line, said) = command.split_once('\n').expect("a line");
    let (fails, line) = line.strip_prefix("! ").map_or((false, line), |line| (true, line));
    let words = line.strip_prefix("relo ").expect("a command of relo's").split(' ');
    let output = Command::new(env!("CARGO_BIN_EXE_relo")).args(words).current_dir(folder).output();
    let output = output.expect("it starts");
    let all = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.success(), !fails, "{line}\n{all}");
    for line in said.lines() {
        assert!(all.contains(line), "`{line}` is not in\n{all}");
    }
}

#[test]
fn the_page_makes_what_is_shipped() {
    let folder = folder();
    let page = std::fs::read_to_string(root().join("docs/write-a-pack.md")).expect("the page");
    follow(&page, folder.path());
    let path = |name: &str| folder.path().join(name);
    for name in ["pack.yaml", "tests/words.mlir"] {
        let shipped = std::fs::read_to_string(root().join("rules/riscv64").join(name)).expect("shipped");
        assert_eq!(std::fs::read_to_string(path("riscv64").join(name)).expect("written"), shipped, "{name}");
    }
    // What the page shows of another pack is how that one is.
    let other = std::fs::read_to_string(root().join("rules/cuda/lower.relo")).expect("shipped");
    for (_, text) in blocks(&page).iter().filter(|(head, _)| head == "relo") {
        let parts: Vec<&str> = text.trim_end().trim_end_matches('}').split("\n\n").collect();
        assert!(parts.len() == 2 && parts.iter().all(|part| other.contains(part)), "{text}");
    }
    // The shipped pack, from the binary, makes the same of the module.
    for (strategy, made) in [("patch", "third.so"), ("table", "table.so"), ("import", "import.so")] {
        let (input, shipped) = (path("third.ll"), path("shipped.so"));
        let mut arguments = vec!["compile", arg(&input), "--target", "riscv64-linux", "--use", "clang"];
        arguments.extend(["--set", "clang.words=^rt_", "--strategy", strategy, "-o", arg(&shipped)]);
        relo_ok(&arguments);
        for suffix in ["", ".reloc.json"] {
            let read = |name: &str| std::fs::read(path(&format!("{name}{suffix}"))).expect("written");
            assert!(read(made) == read("shipped.so"), "{strategy}{suffix}");
        }
    }
    let Some(machine) = Machine::named("riscv64-linux") else { return };
    let call = |name: &str| {
        let word = |referent: &serde_json::Value| match referent["word"]["symbol"].as_str() {
            Some("rt_true") => 40,
            _ => referent["word"]["offset"].as_u64().expect("an offset") - 14,
        };
        let words = words(&manifest(&path(name)), word);
        Call { artifact: path(name), words, entry: "third".into(), arguments: vec![10, 0], results: 1 }
    };
    let results = machine.run(&["third.so", "table.so", "import.so"].map(call));
    assert_eq!(results, vec![Ok(vec![420]); 3]);
}
