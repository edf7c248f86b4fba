//! Session tables from files: what is read, and what is said about those that can't be.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use relo_referent::SessionTable;
use relo_testkit::{cases, render, snapshots};

fn folder(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables").join(name)
}

fn listing(table: &SessionTable) -> String {
    let mut text = format!("relocatable: {}\n", table.relocatable());
    for (address, referent) in table.addresses() {
        assert_eq!(table.by_address(address), Some(referent));
        writeln!(text, "{address:#x} -> {referent}\n    slot @{}", referent.slot_name())
            .expect("text takes all");
    }
    for (global, referent) in table.globals() {
        assert_eq!(table.by_global(global), Some(referent));
        writeln!(text, "@{global} -> {referent}\n    slot @{}", referent.slot_name())
            .expect("text takes all");
    }
    text
}

#[test]
fn tables_of_real_front_ends_are_read() {
    snapshots("referent/accepted", || {
        for case in cases(&folder("accepted"), "json") {
            let table = SessionTable::parse(&case.text, &case.name).expect("it is well formed");
            assert_eq!(table.is_empty(), case.name == "empty");
            insta::assert_snapshot!(case.name, listing(&table));
        }
    });
}

#[test]
fn every_mistake_is_told_at_its_place() {
    snapshots("referent/refused", || {
        for case in cases(&folder("refused"), "json") {
            let error = SessionTable::parse(&case.text, &case.name).expect_err(&case.name);
            insta::assert_snapshot!(case.name, render(&*error));
        }
    });
}

#[test]
fn the_default_is_an_empty_relocatable_session() {
    let table = SessionTable::default();
    assert!(table.is_empty() && table.relocatable() && table.by_address(16).is_none());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        if let Err(error) = SessionTable::parse(&text, "any") {
            render(&*error);
        }
    }

    /// Well-formed tables with a piece cut out or put in: the places of mistakes are inside the text, and between
    /// characters.
    #[test]
    fn no_damage_makes_it_panic(from in 0..400usize, length in 0..20usize, put in "\\PC{0,3}") {
        let text = include_str!("tables/accepted/every_kind.json");
        let start = text.floor_char_boundary(from);
        let end = text.floor_char_boundary(start + length).max(start);
        let damaged = format!("{}{put}{}", &text[..start], &text[end..]);
        if let Err(error) = SessionTable::parse(&damaged, "damaged") {
            prop_assert!(!render(&*error).contains("Failed to read contents"));
        }
    }
}
