//! A folder of attacks: each file says what is done to a manifest that is right, `replace` in its text or `set` at a path
//! into it, and a snapshot has what is said of it. None touches the artifact, or asks the host for anything but what
//! `resolve` says it may.

use std::collections::{BTreeMap, BTreeSet};

use relo_loader::{Callback, LoadError, Manifest, Resolved, load_bytes};
use relo_testkit::{cases, root};
use serde::Deserialize;
use serde_json::Value;

use crate::support::{artifact, host, told, words};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Attack {
    /// What it tries.
    about: String,
    #[serde(default)]
    set: BTreeMap<String, Value>,
    replace: Option<[String; 2]>,
    /// Whether it is for the host to refuse.
    #[serde(default)]
    resolve: bool,
}

impl Attack {
    fn on(&self, manifest: &Manifest) -> String {
        let mut text = manifest.to_json();
        if !self.set.is_empty() {
            let mut json: Value = serde_json::from_str(&text).expect("it is JSON");
            for (path, value) in &self.set {
                let (parent, key) = path.rsplit_once('/').expect("a path");
                match json.pointer_mut(parent).unwrap_or_else(|| panic!("nothing is at {parent}")) {
                    Value::Array(list) => list[key.parse::<usize>().expect("a number")] = value.clone(),
                    Value::Object(keys) => drop(keys.insert(key.to_owned(), value.clone())),
                    _ => panic!("nothing is in {parent}"),
                }
            }
            text = serde_json::to_string_pretty(&json).expect("it is JSON");
        }
        if let Some([old, new]) = &self.replace {
            assert!(text.contains(old), "{old} is not in {text}");
            text = text.replacen(old, new, 1);
        }
        text
    }
}

#[test]
fn every_attack_is_refused_by_name() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let (known, nobody) =
        (host(&library.path), Callback(|_: &_| -> Result<Resolved, String> { panic!("the host is asked") }));
    let mut said = BTreeSet::new();
    let cases = cases(&root().join("loader/tests/hostile"), "json");
    for case in &cases {
        let attack: Attack =
            serde_json::from_str(&case.text).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        let before = artifact.bytes.clone();
        let error = match Manifest::parse(&attack.on(&manifest), "words.so.reloc.json") {
            Err(error) => LoadError::from(error),
            Ok(manifest) if attack.resolve => {
                load_bytes(before, &manifest, &known).err().unwrap_or_else(|| panic!("{} loads", case.name))
            }
            Ok(manifest) => {
                load_bytes(before, &manifest, &nobody).err().unwrap_or_else(|| panic!("{} loads", case.name))
            }
        };
        let text = told(&error);
        assert!(text.len() < 4000, "{}: {} bytes are no diagnostic", case.name, text.len());
        said.insert(text.clone());
        relo_testkit::snapshots("loader/attacks", || {
            insta::with_settings!({ description => &attack.about }, { insta::assert_snapshot!(&*case.name, text) });
        });
    }
    assert!(cases.len() >= 40, "{} attacks", cases.len());
    assert!(said.len() + 4 >= cases.len(), "only {} different refusals", said.len());
    assert_eq!(std::fs::read(&artifact.path).expect("it is there"), artifact.bytes, "nothing is written");
}
