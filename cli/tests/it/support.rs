//! Running the command and the tools around it.

use std::collections::BTreeMap;
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

/// A tool that `scripts/tools.sh` puts there.
pub fn tool(name: &str) -> PathBuf {
    let path = root().join("target/tools").join(name);
    assert!(path.exists(), "{} is missing: `make tools` installs it", path.display());
    path
}

/// The device code of `data/device.ll` in a target's own words, in a folder.
pub fn device_code(folder: &Path, triple: &str, kernel: &str, function: &str) -> PathBuf {
    let text = include_str!("../data/device.ll");
    let text = text.replace("\"TRIPLE\"", &format!("\"{triple}\""));
    let text = text.replace("define KERNEL", &format!("define {kernel}"));
    let text = text.replace(" FUNCTION ", &format!(" {function} "));
    let path = folder.join("device.ll");
    std::fs::write(&path, text).expect("written");
    path
}

/// A symbol of an ELF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElfSymbol {
    /// Its address, or its offset in its section.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The name of the section that it lies in; empty where it is undefined.
    pub section: String,
    /// Where that section begins.
    pub section_address: u64,
    /// ELF's visibility.
    pub visibility: object::elf::SymbolVisibility,
}

/// The named objects, functions and undefined symbols that an ELF file shows to others.
pub fn elf_symbols(bytes: &[u8], dynamic: bool) -> BTreeMap<String, ElfSymbol> {
    use object::read::elf::ElfFile64;
    use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
    let file = ElfFile64::<object::Endianness>::parse(bytes).expect("an ELF file");
    let table: Vec<_> = if dynamic { file.dynamic_symbols().collect() } else { file.symbols().collect() };
    let shown = table.iter().filter(|symbol| !symbol.is_local() && symbol.name() != Ok(""));
    let read = |symbol: &object::read::elf::ElfSymbol64<'_, '_, object::Endianness>| {
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        ElfSymbol {
            address: symbol.address(),
            size: symbol.size(),
            section: section.as_ref().and_then(|section| section.name().ok()).unwrap_or_default().to_owned(),
            section_address: section.map_or(0, |section| section.address()),
            visibility: symbol.elf_symbol().st_visibility(),
        }
    };
    shown.map(|symbol| (symbol.name().expect("UTF-8").to_owned(), read(symbol))).collect()
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

/// A site of a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub symbol: String,
    pub offset: u64,
    pub action: String,
    pub index: Option<u64>,
    pub at: Option<u64>,
    /// What it refers to, as JSON.
    pub referent: String,
}

/// The sites of a manifest.
pub fn sites_of(manifest: &serde_json::Value) -> Vec<Site> {
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let site = |site: &serde_json::Value| Site {
        symbol: text(&site["symbol"]),
        offset: site["offset"].as_u64().expect("a number"),
        action: text(&site["action"]),
        index: site["index"].as_u64(),
        at: site["at"].as_u64(),
        referent: manifest["referents"][site["referent"].as_u64().expect("a number") as usize].to_string(),
    };
    manifest["sites"].as_array().expect("sites").iter().map(site).collect()
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
