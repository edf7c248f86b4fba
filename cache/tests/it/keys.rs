//! Two sessions of one program have one key; everything else has another.

use relo_cache::{Key, KeyBuilder, Symbolic};
use relo_referent::SessionTable;
use relo_testkit::root;

fn key(input: &[u8], session: &SessionTable) -> Key {
    let mut builder = KeyBuilder::new("test");
    builder.input(&Symbolic::new(input, session), session);
    builder.finish()
}

fn table(text: &str) -> SessionTable {
    SessionTable::parse(text, "table").expect("it is a table")
}

const TABLE: &str = r#"{"entries": [
    {"address": "0x7f0000401000", "target": {"object": {"runtime": "toy", "key": "a"}}},
    {"address": "0x7f0000402000", "target": {"object": {"runtime": "toy", "key": "b"}}}]}"#;

#[test]
fn real_sessions_of_one_program_share_their_entries() {
    for module in
        ["calls_cos", "calls_two", "calls_callback", "maps_callback", "raises", "reads_global_array"]
    {
        let keys = ["a", "b"].map(|session| {
            let path = root().join(format!("examples/corpus/numba/session-{session}/{module}"));
            let read =
                |extension| std::fs::read_to_string(path.with_extension(extension)).expect("it is there");
            let (input, session) = (read("ll"), table(&read("session.json")));
            let symbolic = Symbolic::new(input.as_bytes(), &session);
            assert!(symbolic.is_bound(), "{module} has addresses");
            // And so does one that is made up.
            let (moved, elsewhere) = symbolic.moved();
            assert_eq!(key(input.as_bytes(), &session), key(&moved, &elsewhere), "{module}");
            key(input.as_bytes(), &session)
        });
        assert_eq!(keys[0], keys[1], "{module}");
    }
}

#[test]
fn what_means_something_else_has_another_key() {
    let (session, a, b) = (table(TABLE), 0x7f00_0040_1000u64, 0x7f00_0040_2000u64);
    let base = format!("i64 {a}, i64 {b} ; @name.{a:x}");
    let mut keys = vec![key(base.as_bytes(), &session)];
    for other in [
        format!("i64 {b}, i64 {a} ; @name.{a:x}"),
        format!("i64 {a}, i64 {a} ; @name.{a:x}"),
        format!("i64 {a}, i64 {b} ; @name.{b:x}"),
        format!("i64 {a}, i64 {b} ; @name.{a}"),
        format!("i64 {}, i64 {b} ; @name.{a:x}", a + 8),
        format!("i64 object<\"toy\", \"a\">, i64 {b} ; @name.{a:x}"),
        // What is no decimal number and no name stays as it is, and is this session's.
        format!("i64 0x{a:X}, i64 {b} ; @name.{a:x}"),
    ] {
        keys.push(key(other.as_bytes(), &session));
    }
    let renamed = table(&TABLE.replace("\"a\"", "\"c\""));
    keys.push(key(base.as_bytes(), &renamed));
    keys.push(key(base.as_bytes(), &SessionTable::default()));
    let more =
        TABLE.replace("}}}]}", "}}}, {\"global\": \"g\", \"target\": {\"symbol\": {\"name\": \"s\"}}}]}");
    keys.push(key(base.as_bytes(), &table(&more)));
    for (index, one) in keys.iter().enumerate() {
        assert!(!keys[..index].contains(one), "{index} has the key of another");
    }
}

#[test]
fn a_made_up_session_has_other_addresses_in_another_order() {
    let session = table(TABLE);
    let input = format!("i64 {}, i64 {}", 0x7f00_0040_1000u64, 0x7f00_0040_2000u64);
    let (moved, elsewhere) = Symbolic::new(input.as_bytes(), &session).moved();
    let places: Vec<(u64, String)> =
        elsewhere.addresses().map(|(address, referent)| (address, referent.to_string())).collect();
    assert_eq!(
        places.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>(),
        ["object<\"toy\", \"b\">", "object<\"toy\", \"a\">"]
    );
    assert_eq!(String::from_utf8(moved).expect("text"), format!("i64 {}, i64 {}", places[1].0, places[0].0));
}

#[test]
fn parts_do_not_run_together() {
    let of = |parts: &[(&str, &str)]| {
        let mut builder = KeyBuilder::new("test");
        for (name, value) in parts {
            builder.part(name, value);
        }
        builder.finish()
    };
    assert_ne!(of(&[("a", "bc")]), of(&[("ab", "c")]));
    assert_ne!(of(&[("a", ""), ("b", "")]), of(&[("a", "b")]));
    assert_ne!(KeyBuilder::new("1").finish(), KeyBuilder::new("2").finish());
}
