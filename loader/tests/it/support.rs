//! Artifacts and their manifests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use object::{Object as _, ObjectSymbol as _};
use relo_loader::{
    Callback, Chain, LoadError, Manifest, PackRecord, Policy, Process, Resolved, RuleRecord, SiteRecord,
};
use relo_referent::Referent;
use tempfile::TempDir;

use crate::described::{described, site};

/// A shared object in a folder of its own.
pub struct Artifact {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    folder: TempDir,
}

/// Compiles `tests/data/NAME.c`.
pub fn artifact(name: &str) -> Artifact {
    artifact_with(name, &[])
}

/// Compiles `tests/data/NAME.c` with more options.
pub fn artifact_with(name: &str, options: &[&str]) -> Artifact {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join(format!("{name}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.c"));
    let status = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-Wl,-z,relro,-z,now", "-o"])
        .args([&path, &source])
        .args(options)
        .status()
        .expect("there is a C compiler");
    assert!(status.success(), "{name}.c does not compile");
    let bytes = std::fs::read(&path).expect("it was written");
    Artifact { path, bytes, folder }
}

impl Artifact {
    /// A file beside it.
    pub fn beside(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).expect("it can be written");
        path
    }

    fn address(&self, symbol: &str) -> u64 {
        let file = object::File::parse(&*self.bytes).expect("it is ELF");
        let found = file.symbols().chain(file.dynamic_symbols()).find(|found| found.name() == Ok(symbol));
        found.unwrap_or_else(|| panic!("no symbol {symbol}")).address()
    }

    /// A manifest with these sites: symbol, offset, width, referent.
    pub fn manifest(&self, sites: &[(&str, u64, u32, Referent)]) -> Manifest {
        let mut referents: Vec<Referent> = sites.iter().map(|site| site.3.clone()).collect();
        referents.sort();
        referents.dedup();
        let mut sites: Vec<SiteRecord> = sites
            .iter()
            .map(|(symbol, offset, width, referent)| {
                let referent = referents.binary_search(referent).expect("it is among them");
                site(symbol, *offset, *width, referent, self.address(symbol) + offset)
            })
            .collect();
        sites.sort_by(|a, b| (&a.symbol, a.offset).cmp(&(&b.symbol, b.offset)));
        Manifest {
            entries: vec!["call_cos".into(), "object".into()],
            packs: vec![PackRecord { name: "core".into(), digest: "0".repeat(64) }],
            rules: vec![RuleRecord { rule: "core.slot".into(), digest: "f".repeat(64) }],
            ..described(&self.bytes, referents, sites)
        }
    }
}

pub fn symbol(name: &str, library: &str) -> Referent {
    Referent::Symbol { name: name.into(), library: Some(library.into()), addend: 0 }
}

pub fn object(key: &str, addend: i64) -> Referent {
    Referent::Object { runtime: "host".into(), key: key.into(), addend }
}

pub fn word(symbol: &str, offset: u64, library: Option<&str>) -> Referent {
    Referent::Word { symbol: symbol.into(), library: library.map(ToOwned::to_owned), offset }
}

/// `words.c` with a site of every kind.
pub fn words(host: &Path) -> (Artifact, Manifest) {
    let artifact = artifact("words");
    let manifest = artifact.manifest(&[
        ("slot_cos", 0, 64, symbol("cos", "libm.so.6")),
        ("slot_object", 0, 64, object("thing", 0)),
        ("slot_inside", 0, 64, object("thing", -8)),
        ("slot_word", 0, 64, word("host_table", 16, host.to_str())),
        ("box", 0, 64, object("type", 0)),
        ("box", 24, 64, object("thing", 0)),
        ("slot_small", 0, 32, object("small", 0)),
        ("slot_plain", 0, 64, object("plain", 0)),
    ]);
    (artifact, manifest)
}

/// The host of these tests: it knows a few objects, and opens its library.
pub fn host(library: &Path) -> Chain<'static> {
    let objects = Callback(|referent: &Referent| {
        let Referent::Object { runtime, key, .. } = referent else {
            return Err("it is no object".to_owned());
        };
        let word = match (runtime.as_str(), key.as_str()) {
            ("host", "thing") => 0x7000_0000_0100,
            ("host", "type") => 0x7000_0000_0200,
            ("host", "small") => 0x1234_5678,
            ("host", "plain") => 100,
            _ => return Err(format!("the host has no `{key}`")),
        };
        Ok(Resolved { word, root: Some(Arc::new(word)) })
    });
    let allowed = ["libm.so.6".to_owned(), library.display().to_string()];
    Chain(vec![Box::new(objects), Box::new(Process { policy: Policy::Allow(allowed.into()) })])
}

/// A diagnostic as users see it, without what another compiler would have made different.
pub fn told(error: &LoadError) -> String {
    let text = relo_testkit::render(error);
    let replace = |text: String, pattern: &str, by: &str| {
        regex::Regex::new(pattern).expect("a pattern").replace_all(&text, by).into_owned()
    };
    let text = replace(text, "[0-9a-f]{64}", "HASH");
    let text = replace(text, "/tmp/[A-Za-z0-9./_]+/", "FOLDER/");
    let text = replace(text, "0x[0-9a-f]{4,8}\\b", "0xPLACE");
    let text = replace(text, r"at(\x22:| is) [0-9]{4,8}\b", "at$1 PLACE");
    replace(text, "has (more than )?[0-9]+ bytes, not [0-9]+|has more than [0-9]+ bytes", "has SIZE bytes")
}

/// Runs one of this program's ignored tests in a process of its own, and gives how it ended and what it printed.
pub fn child(test: &str) -> (std::process::ExitStatus, String) {
    let output = Command::new(std::env::current_exe().expect("this program has a file"))
        .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status, text + &String::from_utf8_lossy(&output.stderr))
}
