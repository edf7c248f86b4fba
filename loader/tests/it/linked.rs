//! Words that lie outside the artifact: cells that a symbol is defined as, and tables.
#![allow(unsafe_code, reason = "foreign code is called")]

use relo_loader::{Fixed, LoadError, Manifest, SharedObject, Signature, Value, load};
use relo_referent::Action;

use crate::support::{Artifact, artifact, object};

const WORDS: [(&str, u64); 4] =
    [("thing", 0x7000_0000_0100), ("type", u64::MAX), ("small", 0x1234_5678), ("plain", 100)];

fn host() -> Fixed {
    Fixed(WORDS.iter().map(|(key, word)| (object(key, 0), *word)).collect())
}

/// `linked.c`, a cell, a table with a gap, and a table of narrow words.
fn linked() -> (Artifact, Manifest) {
    let artifact = artifact("linked");
    let mut manifest = artifact.manifest(&[
        ("the_cell", 0, 64, object("thing", 0)),
        ("the_narrow_table", 0, 32, object("plain", 0)),
        ("the_narrow_table", 4, 32, object("small", 0)),
        ("the_table", 0, 64, object("type", 0)),
        ("the_table", 16, 64, object("small", 0)),
    ]);
    manifest.entries = ["cell", "entry", "narrow"].map(str::to_owned).to_vec();
    for (site, index) in manifest.sites.iter_mut().zip([None, Some(3), Some(2), Some(0), Some(2)]) {
        site.at = None;
        (site.action, site.index) = (if index.is_some() { Action::Table } else { Action::Define }, index);
    }
    (artifact, manifest)
}

fn number(image: &SharedObject, name: &str, arguments: &[Value]) -> u64 {
    let parameters = if arguments.is_empty() { "" } else { "i64" };
    let signature = Signature::parse(&format!("i64 ({parameters})")).expect("a signature");
    // SAFETY: this is the type of every function here.
    let (result, _) = unsafe { image.call(name, &signature, arguments) }.expect("it can be called");
    match result {
        Some(Value::Int(number)) => number.cast_unsigned(),
        other => panic!("{other:?}"),
    }
}

fn refused(artifact: &Artifact, manifest: &Manifest) -> String {
    let error = load(&artifact.path, manifest, &host()).err().expect("it is refused");
    assert!(
        matches!(error, LoadError::Site { .. } | LoadError::Manifest(_) | LoadError::Memory { .. }),
        "{error}"
    );
    error.to_string()
}

#[test]
fn code_reads_cells_and_tables() {
    let (artifact, manifest) = linked();
    let image = load(&artifact.path, &manifest, &host()).expect("it loads");
    assert_eq!(number(&image, "cell", &[]), WORDS[0].1);
    // What no site is at is zero.
    for (index, word) in [(0, WORDS[1].1), (1, 0), (2, WORDS[2].1)] {
        assert_eq!(number(&image, "entry", &[Value::Int(index)]), word, "{index}");
    }
    for (index, word) in [(0, WORDS[3].1), (1, WORDS[2].1)] {
        assert_eq!(number(&image, "narrow", &[Value::Int(index)]), word, "{index}");
    }
}

/// Both would be one symbol to the dynamic linker.
#[test]
fn images_have_cells_of_their_own() {
    let (artifact, manifest) = linked();
    let first = load(&artifact.path, &manifest, &host()).expect("it loads");
    let mut other = host();
    other.0.insert(object("thing", 0), 5);
    let second = load(&artifact.path, &manifest, &other).expect("it loads");
    assert_eq!((number(&first, "cell", &[]), number(&second, "cell", &[])), (WORDS[0].1, 5));
    for name in ["cell_address", "table_address"] {
        assert_ne!(number(&first, name, &[]), number(&second, name, &[]), "{name}");
    }
    drop(first);
    assert_eq!(number(&second, "entry", &[Value::Int(2)]), WORDS[2].1);
}

#[test]
fn cells_and_tables_are_read_only() {
    let (artifact, manifest) = linked();
    let image = load(&artifact.path, &manifest, &host()).expect("it loads");
    for name in ["cell_address", "table_address"] {
        let address = number(&image, name, &[]);
        assert_eq!(crate::load::protection(address), "r--p", "{name}");
    }
}

#[test]
fn what_is_no_cell_or_table_is_refused() {
    let (artifact, whole) = linked();
    let with = |change: &dyn Fn(&mut Manifest)| {
        let mut manifest = whole.clone();
        change(&mut manifest);
        refused(&artifact, &manifest)
    };
    // A symbol that the artifact has itself, or knows nothing of.
    let own = with(&|manifest| manifest.sites[0].symbol = "own".into());
    assert!(own.contains("does not leave such a symbol"), "{own}");
    let unknown = with(&|manifest| manifest.sites[0].symbol = "a_cell".into());
    assert!(unknown.contains("does not leave such a symbol"), "{unknown}");
    // A cell is one word.
    let inside = with(&|manifest| manifest.sites[0].offset = 8);
    assert!(inside.contains("as a whole"), "{inside}");
    // The symbol would be two things.
    let both = with(&|manifest| manifest.sites[0].symbol = "the_narrow_table".into());
    assert!(both.contains("sites["), "{both}");
    let absurd = with(&|manifest| manifest.sites[4].offset = 1 << 33);
    assert!(absurd.contains("a table of words has"), "{absurd}");
}

#[test]
fn a_word_that_is_too_wide_for_its_table_is_told() {
    let (artifact, manifest) = linked();
    let mut wide = host();
    wide.0.insert(object("plain", 0), 1 << 32);
    let error = load(&artifact.path, &manifest, &wide).err().expect("it is refused");
    assert!(matches!(error, LoadError::Unresolved(_)) && error.to_string().contains("32 bits"), "{error}");
}
