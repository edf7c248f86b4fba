//! Manifests and artifacts that are not to be trusted: each is refused before anything is loaded.

use std::path::Path;

use relo_loader::{Callback, LoadError, Manifest, Resolved, load};
use relo_referent::Referent;
use serde_json::{Value, json};

use crate::support::{artifact, host, object, symbol, told, words};

/// A manifest's JSON with one value changed, by a path into it.
fn changed(manifest: &Manifest, path: &str, value: Value) -> String {
    let mut json: Value = serde_json::from_str(&manifest.to_json()).expect("it is JSON");
    if let Some(place) = json.pointer_mut(path) {
        *place = value;
    } else {
        let (parent, key) = path.rsplit_once('/').expect("a path");
        json.pointer_mut(parent).and_then(Value::as_object_mut).expect(path).insert(key.into(), value);
    }
    serde_json::to_string_pretty(&json).expect("it is JSON")
}

/// Loads with a resolver that is never to be asked.
fn refused(artifact: &Path, text: &str) -> LoadError {
    let resolver = Callback(|_: &_| -> Result<Resolved, String> { panic!("a resolver is asked") });
    match Manifest::parse(text, "words.so.reloc.json") {
        Err(error) => error.into(),
        Ok(manifest) => load(artifact, &manifest, &resolver).err().expect("it is refused"),
    }
}

fn snapshot(name: &str, error: &LoadError) {
    relo_testkit::snapshots("loader/refused", || insta::assert_snapshot!(name, told(error)));
}

/// Lies about one value. The sites of `words` are, in order: box + 0, box + 24, slot_cos, slot_inside, slot_object,
/// slot_plain, slot_small, slot_word.
fn lies() -> Vec<(&'static str, &'static str, Value)> {
    let far = 1u64 << 34;
    vec![
        ("version_0", "/relo", json!(0)),
        ("version_2", "/relo", json!(2)),
        ("version_too_large", "/relo", json!(u64::MAX)),
        ("version_text", "/relo", json!("1")),
        ("unknown_key", "/surprise", json!(1)),
        ("unknown_key_in_a_site", "/sites/0/surprise", json!(1)),
        ("target_without_triple", "/target", json!({"name": "here", "cpu": "", "features": ""})),
        ("triple_empty", "/target/triple", json!("")),
        ("triple_of_another_machine", "/target/triple", json!("sparc-sun-solaris")),
        (
            "triple_of_another_system",
            "/target/triple",
            json!(format!("{}-apple-darwin", std::env::consts::ARCH)),
        ),
        ("name_with_nul", "/target/name", json!("here\0")),
        ("kind", "/artifact/kind", json!("ptx")),
        ("kind_empty", "/artifact/kind", json!("")),
        ("size_too_small", "/artifact/size", json!(64)),
        ("size_too_large", "/artifact/size", json!(1_000_000)),
        ("size_absurd", "/artifact/size", json!(u64::MAX)),
        ("size_negative", "/artifact/size", json!(-1)),
        ("hash_wrong", "/artifact/blake3", json!("0".repeat(64))),
        ("hash_short", "/artifact/blake3", json!("00")),
        ("hash_upper_case", "/artifact/blake3", json!("A".repeat(64))),
        ("entry_empty", "/entries/0", json!("")),
        ("entry_twice", "/entries/0", json!("object")),
        ("argument_of_no_entry", "/arguments", json!([{"entry": "nobody", "argument": 0, "table": "box"}])),
        ("argument_no_table", "/arguments", json!([{"entry": "object", "argument": 0, "table": "box"}])),
        ("pack_digest", "/packs/0/digest", json!("")),
        ("rule_digest", "/rules/0/digest", json!("yes")),
        ("referent_of_no_kind", "/referents/0", json!({"function": {"name": "f"}})),
        ("referent_without_key", "/referents/0", json!({"object": {"runtime": "host", "key": ""}})),
        ("referents_out_of_order", "/referents/0", json!({"word": {"symbol": "z"}})),
        ("referent_twice", "/referents/1", json!({"object": {"runtime": "host", "key": "plain"}})),
        ("referent_without_site", "/sites/5/referent", json!(1)),
        ("referent_offset_negative", "/referents/5", json!({"word": {"symbol": "s", "offset": -1}})),
        ("symbol_empty", "/sites/0/symbol", json!("")),
        ("symbol_with_nul", "/sites/0/symbol", json!("box\0")),
        ("symbol_unknown", "/sites/2/symbol", json!("slot_cos_")),
        ("symbol_a_function", "/sites/7/symbol", json!("word")),
        ("symbol_in_constants", "/sites/2/symbol", json!("constant")),
        ("symbol_of_a_thread", "/sites/2/symbol", json!("each_thread")),
        ("sites_out_of_order", "/sites/0/symbol", json!("zzz")),
        ("sites_overlap", "/sites/1/offset", json!(4)),
        ("sites_in_one_place", "/sites/1/offset", json!(0)),
        ("offset_outside", "/sites/1/offset", json!(40)),
        ("offset_partly_outside", "/sites/1/offset", json!(36)),
        ("offset_absurd", "/sites/1/offset", json!(u64::MAX)),
        ("offset_negative", "/sites/1/offset", json!(-8)),
        ("width_0", "/sites/0/width", json!(0)),
        ("width_16", "/sites/0/width", json!(16)),
        ("width_128", "/sites/0/width", json!(128)),
        ("width_past_the_end", "/sites/6/width", json!(64)),
        ("site_without_referent", "/sites/0/referent", json!(100)),
        ("action_unknown", "/sites/0/action", json!("execute")),
        ("action_define", "/sites/0/action", json!("define")),
        ("action_apply", "/sites/0/action", json!("apply")),
        ("action_table_without_index", "/sites/0/action", json!("table")),
        ("index_without_order", "/sites/0/index", json!(0)),
        ("strategy_empty", "/sites/0/strategy", json!("")),
        ("place_missing", "/sites/0/at", Value::Null),
        ("place_elsewhere", "/sites/2/at", json!(0x4000_0000)),
        ("place_not_aligned", "/sites/2/at", json!(0x4000_0001)),
        ("place_absurd", "/sites/2/at", json!(u64::MAX)),
        ("place_far", "/sites/2/at", json!(far)),
        ("place_apart_from_its_symbol", "/sites/1/at", json!(far - 8)),
        ("portable_text", "/portable", json!("yes")),
    ]
}

#[test]
fn every_lie_is_refused() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    for (name, path, value) in lies() {
        snapshot(name, &refused(&artifact.path, &changed(&manifest, path, value)));
    }
}

#[test]
fn actions_of_other_loaders_are_refused_by_name() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    for (name, _) in
        relo_referent::Action::ALL.into_iter().filter(|(name, _)| matches!(*name, "specialize" | "apply"))
    {
        let mut json: Value = serde_json::from_str(&manifest.to_json()).expect("it is JSON");
        json["sites"][0]["action"] = json!(name);
        if matches!(name, "table" | "specialize") {
            json["sites"][0]["index"] = json!(0);
        }
        let error = refused(&artifact.path, &json.to_string());
        assert!(matches!(error, LoadError::Action { .. }) && told(&error).contains(name), "{error}");
    }
}

/// Manifests that are right by themselves, and place sites where the artifact has no room for them.
#[test]
fn sites_that_fit_the_manifest_alone_are_refused() {
    let artifact = artifact("words");
    for (name, symbol, offset, width) in [
        ("site_after_its_datum", "box", 40, 64),
        ("site_partly_after_its_datum", "box", 36, 64),
        ("site_wider_than_its_datum", "slot_small", 0, 64),
        ("site_in_constants", "constant", 0, 64),
        ("site_in_code", "object", 0, 64),
        ("site_in_a_threads_data", "each_thread", 0, 64),
        ("site_with_terminal_codes", "box", 1 << 20, 64),
    ] {
        let mut manifest = artifact.manifest(&[(symbol, offset, width, object("thing", 0))]);
        for site in &mut manifest.sites {
            // Alignment is the manifest's own law.
            site.at = site.at.map(|at| at / 8 * 8);
            if name.contains("terminal") {
                site.symbol = "\u{1b}[31mred\r\n".into();
            }
        }
        snapshot(name, &refused(&artifact.path, &manifest.to_json()));
    }
}

#[test]
fn two_sites_in_one_place_are_refused() {
    let library = artifact("host");
    let (artifact, mut manifest) = words(&library.path);
    manifest.sites[3].at = manifest.sites[2].at;
    let error = refused(&artifact.path, &manifest.to_json());
    assert!(matches!(error, LoadError::Manifest(_)) && error.to_string().contains("where sites["), "{error}");
}

#[test]
fn a_hundred_lies_are_told_in_a_few_lines() {
    let library = artifact("host");
    let (artifact, mut manifest) = words(&library.path);
    let site = manifest.sites[0].clone();
    manifest.sites.extend(vec![site; 100]);
    snapshot("many", &refused(&artifact.path, &manifest.to_json()));
}

#[test]
fn artifacts_that_are_not_the_manifest_s_are_refused() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let text = manifest.to_json();
    let truncated = artifact.beside("truncated.so", &artifact.bytes[..artifact.bytes.len() - 1]);
    let longer = artifact.beside("longer.so", &[&*artifact.bytes, b"x"].concat());
    let mut bytes = artifact.bytes.clone();
    *bytes.last_mut().expect("it has bytes") ^= 1;
    let altered = artifact.beside("altered.so", &bytes);
    for (name, path) in [
        ("file_truncated", truncated.as_path()),
        ("file_longer", &longer),
        ("file_altered", &altered),
        ("file_missing", Path::new("/tmp/folder/missing.so")),
        ("file_a_folder", Path::new("/tmp")),
        ("file_endless", Path::new("/dev/zero")),
    ] {
        snapshot(name, &refused(path, &text));
    }
}

/// The hash is right, but what was hashed is no shared object.
#[test]
fn files_that_are_no_shared_object_are_refused() {
    let mut artifact = artifact("words");
    let whole = artifact.bytes.clone();
    let mut other_machine = whole.clone();
    other_machine[18..20].copy_from_slice(&40u16.to_le_bytes()); // EM_ARM
    let mut no_symbols = whole.clone();
    no_symbols[40..48].copy_from_slice(&u64::MAX.to_le_bytes()); // e_shoff
    let mut executable = whole.clone();
    executable[16..18].copy_from_slice(&2u16.to_le_bytes()); // ET_EXEC
    for (name, bytes) in [
        ("elf_empty", Vec::new()),
        ("elf_text", b"#!/bin/sh\necho no\n".to_vec()),
        ("elf_header_only", whole[..64].to_vec()),
        ("elf_cut_in_the_middle", whole[..whole.len() / 2].to_vec()),
        ("elf_other_machine", other_machine),
        ("elf_no_symbols", no_symbols),
        ("elf_executable", executable),
    ] {
        let mut manifest = artifact.manifest(&[("slot_cos", 0, 64, symbol("cos", "libm.so.6"))]);
        manifest.artifact.size = bytes.len() as u64;
        manifest.artifact.blake3 = blake3::hash(&bytes).to_hex().to_string();
        let path = artifact.beside("false.so", &bytes);
        snapshot(name, &refused(&path, &manifest.to_json()));
        artifact.bytes.clone_from(&whole);
    }
}

/// All that can't be resolved is told at once: unknown objects, libraries that the policy does not allow, symbols and
/// words that are not there, words too wide for their site.
#[test]
fn everything_unresolved_is_listed() {
    let library = artifact("host");
    let artifact = artifact("words");
    let path = |library: &str| Some(library.to_owned());
    let manifest = artifact.manifest(&[
        ("slot_cos", 0, 64, symbol("cosine", "libm.so.6")),
        ("slot_object", 0, 64, object("stranger", 8)),
        ("slot_inside", 0, 64, symbol("f", "/usr/lib/other.so")),
        ("slot_word", 0, 64, Referent::Word { symbol: "host_table".into(), library: None, offset: 0 }),
        (
            "slot_plain",
            0,
            64,
            Referent::Word { symbol: "f".into(), library: path("libnot_here.so"), offset: 8 },
        ),
        ("slot_small", 0, 32, object("thing", 0)),
        ("box", 0, 64, object("type", 0)),
    ]);
    let error = load(&artifact.path, &manifest, &host(&library.path)).err().expect("it is refused");
    assert!(matches!(&error, LoadError::Unresolved(all) if all.len() == 6), "{error}");
    snapshot("unresolved", &error);
}
