//! What holds of every text, every manifest and every damaged artifact.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::Index;
use relo_loader::{
    ArgumentRecord, ArtifactRecord, Callback, LoadError, Manifest, PackRecord, RuleRecord, SiteRecord,
    TargetRecord, VERSION, load,
};
use relo_referent::{Action, Referent};

use crate::schema::{problems, schema};
use crate::support::{Artifact, artifact, symbol, told, words};

fn name() -> impl Strategy<Value = String> {
    "[^\0]{1,6}"
}

fn hash() -> impl Strategy<Value = String> {
    any::<[u8; 32]>().prop_map(|bytes| blake3::Hash::from(bytes).to_hex().to_string())
}

fn referent() -> impl Strategy<Value = Referent> {
    let library = || proptest::option::of(name());
    prop_oneof![
        (name(), name(), any::<i64>()).prop_map(|(runtime, key, addend)| Referent::Object {
            runtime,
            key,
            addend
        }),
        (name(), library(), any::<i64>()).prop_map(|(name, library, addend)| Referent::Symbol {
            name,
            library,
            addend
        }),
        (name(), library(), any::<u64>()).prop_map(|(symbol, library, offset)| Referent::Word {
            symbol,
            library,
            offset
        }),
    ]
}

/// Sites of a few symbols, words apart, which take turns in referring to all referents.
fn manifest() -> impl Strategy<Value = Manifest> {
    let places = btree_map(name(), btree_set(0..1000u64, 1..6), 0..6);
    let texts = (name(), name(), any::<String>(), any::<String>(), name(), 0..1u64 << 34, hash());
    let lists = (btree_set(name(), 0..4), vec((name(), hash()), 0..3), vec((name(), hash()), 0..3));
    let actions = vec((0..6usize, any::<bool>(), any::<bool>()), 40);
    (places, texts, lists, vec(referent(), 40), actions, any::<bool>()).prop_map(
        |(
            places,
            (name, triple, cpu, features, kind, size, blake3),
            (entries, packs, rules),
            referents,
            actions,
            portable,
        )| {
            let count: usize = places.values().map(BTreeSet::len).sum();
            let referents: BTreeSet<Referent> = referents.into_iter().take(count).collect();
            let referents: Vec<Referent> = referents.into_iter().collect();
            let mut sites = Vec::new();
            for (which, (symbol, offsets)) in places.into_iter().enumerate() {
                for offset in offsets {
                    let number = sites.len();
                    let (action, wide, placed) = actions[number];
                    let (_, action) = Action::ALL[action];
                    sites.push(SiteRecord {
                        symbol: symbol.clone(),
                        offset: offset * 8,
                        width: if wide { 64 } else { 32 },
                        referent: number % referents.len(),
                        action,
                        strategy: "any".into(),
                        index: action.is_ordered().then_some(number as u64),
                        at: placed.then_some(which as u64 * 10_000 * 8 + offset * 8),
                    });
                }
            }
            let tables: BTreeSet<&String> = sites
                .iter()
                .filter(|site: &&SiteRecord| site.action == Action::Table)
                .map(|site| &site.symbol)
                .collect();
            let arguments = entries
                .iter()
                .flat_map(|entry| (0..).zip(&tables).map(move |(argument, table)| (entry, argument, table)))
                .map(|(entry, argument, table)| ArgumentRecord {
                    entry: entry.clone(),
                    argument,
                    table: (*table).clone(),
                })
                .collect();
            Manifest {
                relo: VERSION,
                target: TargetRecord { name, triple, cpu, features },
                artifact: ArtifactRecord { kind, size, blake3 },
                entries: entries.into_iter().collect(),
                arguments,
                packs: packs.into_iter().map(|(name, digest)| PackRecord { name, digest }).collect(),
                rules: rules.into_iter().map(|(rule, digest)| RuleRecord { rule, digest }).collect(),
                referents,
                sites,
                portable,
            }
        },
    )
}

/// A manifest in which any number is anything.
fn wild() -> impl Strategy<Value = Manifest> {
    let numbers = vec((any::<Index>(), 0..6u8, prop_oneof![any::<u64>(), 0..100u64]), 1..6);
    (manifest(), numbers).prop_map(|(mut manifest, numbers)| {
        for (site, which, number) in numbers {
            if manifest.sites.is_empty() {
                manifest.artifact.size = number;
                continue;
            }
            let site = site.index(manifest.sites.len());
            let site = &mut manifest.sites[site];
            match which {
                0 => site.offset = number,
                1 => site.width = number as u32,
                2 => site.referent = number as usize,
                3 => site.index = Some(number),
                4 => site.at = Some(number),
                _ => manifest.relo = number as u32,
            }
        }
        manifest
    })
}

static WORDS: LazyLock<(Artifact, Manifest)> = LazyLock::new(|| words(&artifact("host").path));

fn nobody() -> impl relo_loader::Resolver {
    Callback(|_: &_| Err("nobody is to ask".to_owned()))
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in any::<Vec<u8>>()) {
        prop_assert!(Manifest::parse(&String::from_utf8_lossy(&bytes), "any").is_err());
    }

    #[test]
    fn no_damage_makes_it_panic(from in any::<Index>(), length in 0..40usize, put in "\\PC{0,4}") {
        let text = WORDS.1.to_json();
        let boundary = |at: usize| (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let start = boundary(from.index(text.len()));
        let damaged = format!("{}{put}{}", &text[..start], &text[boundary(start + length)..]);
        if let Err(error) = Manifest::parse(&damaged, "damaged") {
            prop_assert!(!told(&error.into()).contains("Failed to read contents"));
        }
    }

    #[test]
    fn written_and_read_is_the_same(manifest in manifest()) {
        let text = manifest.to_json();
        prop_assert_eq!(Manifest::parse(&text, "written").map_err(|error| error.to_string()), Ok(manifest.clone()));
        prop_assert_eq!(Manifest::parse(&text, "written").expect("it was read").to_json(), text);
    }

    #[test]
    fn what_the_loader_takes_fits_the_schema(manifest in wild()) {
        static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(schema);
        if manifest.check().is_ok() {
            prop_assert_eq!(problems(&SCHEMA, &manifest.to_json()), Vec::<String>::new());
        }
    }

    /// Whatever a manifest says, what is loaded is either right or refused: here nothing can be resolved.
    #[test]
    fn no_manifest_makes_loading_panic(mut manifest in wild(), right in any::<bool>()) {
        if right {
            let whole = WORDS.1.clone();
            (manifest.artifact, manifest.target, manifest.portable) = (whole.artifact, whole.target, true);
        }
        if let Ok(image) = load(&WORDS.0.path, &manifest, &nobody()) {
            prop_assert!(manifest.sites.iter().all(|site| site.action == Action::None));
            drop(image);
        }
    }

    /// Damaged ELF whose hash is right: its symbols and segments are read, and no more.
    #[test]
    fn no_damaged_artifact_makes_reading_panic(changes in vec((any::<Index>(), any::<u8>()), 1..8), head in any::<bool>()) {
        let mut bytes = WORDS.0.bytes.clone();
        for (place, byte) in changes {
            // Headers are where it hurts.
            let place = place.index(if head { 800 } else { bytes.len() });
            bytes[place] = byte;
        }
        let mut manifest = WORDS.0.manifest(&[("slot_cos", 0, 64, symbol("cos", "libm.so.6"))]);
        manifest.artifact.blake3 = blake3::hash(&bytes).to_hex().to_string();
        let path = WORDS.0.beside("damaged.so", &bytes);
        let error = load(&path, &manifest, &nobody()).err().expect("nothing can be resolved");
        let refused = matches!(
            error,
            LoadError::Unresolved(_) | LoadError::Malformed { .. } | LoadError::Machine { .. } | LoadError::Site { .. }
        );
        prop_assert!(refused, "{}", error);
    }
}
