//! `relo test --watch`: what an edit can affect is run again, and nothing else.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::support::{arg, folder, relo_ok};

/// A run that stays, killed when it is over.
struct Watching {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watching {
    fn start(pack: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_relo"))
            .args(["--format", "json", "test", "--watch", "--rules", arg(pack)])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, lines }
    }

    /// What it says up to its next summary, the summary last.
    fn next(&mut self) -> Vec<Value> {
        let mut said: Vec<Value> = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).expect("read") > 0, "it ended after {said:?}");
            said.push(serde_json::from_str(&line).expect("a line of JSON"));
            let last = said.last().expect("just added");
            if last.get("summary").is_some() || last.get("broken").is_some() {
                return said;
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_edit_runs_what_it_can_affect() {
    let folder = folder();
    relo_ok(&["new", "mine", "--into", arg(folder.path())]);
    let pack = folder.path().join("mine");
    relo_ok(&["test", "--rules", arg(&pack), "--accept"]);
    let file = pack.join("lift.relo");
    let good = std::fs::read_to_string(&file).expect("written");
    let mut watching = Watching::start(&pack);
    let first = watching.next().pop().expect("a summary");
    assert_eq!((&first["ran"], &first["summary"]["right"]), (&4.into(), &4.into()), "{first}");

    // Comments are no rules.
    std::fs::write(&file, format!("// Once more.\n{good}")).expect("written");
    let second = watching.next().pop().expect("a summary");
    assert_eq!(second["ran"], 0, "{second}");

    // One rule has another condition: its tests, and those in which it fires or might.
    let weaker = good.replace("is_data(@g) and is_declaration(@g)", "is_data(@g)");
    std::fs::write(&file, &weaker).expect("written");
    let third = watching.next();
    let outcomes: Vec<&str> = third.iter().filter_map(|line| line["outcome"].as_str()).collect();
    assert!(outcomes.contains(&"fired where it must not"), "{third:?}");
    let summary = third.last().expect("a summary");
    assert!(summary["ran"].as_u64() < Some(4), "{summary}");

    // A broken file: the rules stay as they were, and so do the tests.
    std::fs::write(&file, weaker.replace("match", "mtach")).expect("written");
    assert!(watching.next().iter().any(|line| line.get("broken").is_some()));
    std::fs::write(&file, weaker.replace("llvm.load", "llvm.laod")).expect("written");
    assert!(watching.next().iter().any(|line| line.get("broken").is_some()));

    std::fs::write(&file, &good).expect("written");
    let last = watching.next().pop().expect("a summary");
    assert_eq!(last["summary"]["right"], 4, "{last}");
}
