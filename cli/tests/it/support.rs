//! Running the command and the tools around it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use relo_testkit::root;

/// A file of the corpus.
pub fn corpus(path: &str) -> PathBuf {
    root().join("examples/corpus").join(path)
}

/// A folder for a test's files, gone afterwards.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A tool of LLVM's.
pub fn llvm(tool: &str) -> PathBuf {
    Path::new("/usr/lib/llvm-22/bin").join(tool)
}

/// `relo` with arguments; its output whatever comes of it.
pub fn relo(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_relo")).args(arguments).output().expect("relo runs")
}

/// `relo` with arguments, which succeeds; what it prints.
pub fn relo_ok(arguments: &[&str]) -> String {
    succeeded(&relo(arguments), &arguments.join(" "))
}

/// Runs a tool, which succeeds; what it prints.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    succeeded(&output, &format!("{command:?}"))
}

fn succeeded(output: &Output, what: &str) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{what}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().expect("test paths are UTF-8")
}

/// A manifest as JSON.
pub fn manifest(artifact: &Path) -> serde_json::Value {
    let path = format!("{}.reloc.json", arg(artifact));
    serde_json::from_str(&std::fs::read_to_string(&path).expect("the manifest is there")).expect("it is JSON")
}

/// The addresses of a session table.
pub fn addresses(table: &Path) -> Vec<u64> {
    let text = std::fs::read_to_string(table).expect("the table is there");
    let table: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let entries = table["entries"].as_array().expect("it has entries");
    let address = |entry: &serde_json::Value| {
        u64::from_str_radix(entry["address"].as_str()?.trim_start_matches("0x"), 16).ok()
    };
    entries.iter().filter_map(address).collect()
}

/// Whether an address stands anywhere in bytes: as a word, or as digits.
pub fn holds_address(bytes: &[u8], address: u64) -> bool {
    let found = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    found(&address.to_le_bytes())
        || found(&address.to_be_bytes())
        || found(format!("{address:x}").as_bytes())
        || found(address.to_string().as_bytes())
}
