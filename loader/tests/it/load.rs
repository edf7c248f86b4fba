//! What a load does to memory, and when.
#![allow(unsafe_code, reason = "foreign code is called, and written to where that must fail")]

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use relo_loader::{
    Artifact, Callback, LoadError, Resolved, SharedObject, Signature, Value, load, load_bytes, load_portable,
};
use relo_referent::Action;

use crate::support::{artifact, artifact_with, child, host, object, words};

/// A call without arguments, or with one.
fn call(image: &SharedObject, name: &str, signature: &str, arguments: &[Value]) -> String {
    let signature = Signature::parse(signature).expect("a signature");
    // SAFETY: each caller gives the function's own type.
    let (result, outs) = unsafe { image.call(name, &signature, arguments) }.expect("it can be called");
    let outs: Vec<String> = outs.iter().map(ToString::to_string).collect();
    format!("{} {}", result.map_or_else(String::new, |value| value.to_string()), outs.join(" "))
        .trim()
        .to_owned()
}

fn integer(image: &SharedObject, name: &str) -> u64 {
    call(image, name, "i64 ()", &[]).parse().expect("a number")
}

/// The protection of the page at an address, as in `r--p`.
pub fn protection(address: u64) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel tells");
    let line = maps.lines().find(|line| {
        let (start, rest) = line.split_once('-').expect("a range");
        let end = rest.split(' ').next().expect("a range");
        let number = |text| u64::from_str_radix(text, 16).expect("an address");
        (number(start)..number(end)).contains(&address)
    });
    line.and_then(|line| line.split(' ').nth(1)).expect("it is mapped").to_owned()
}

#[test]
fn the_code_reads_the_words_of_its_session() {
    let (status, text) = child("load::child_calls_everything");
    assert!(status.success(), "{text}");
    let (again, other) = child("load::child_calls_everything");
    assert!(again.success(), "{other}");
    let said = |text: &str| text.lines().filter(|line| line.contains(" = ")).collect::<Vec<_>>().join("\n");
    assert_eq!(said(&text), said(&other), "two sessions differ");
    relo_testkit::snapshots("loader", || insta::assert_snapshot!("words_of_a_session", said(&text)));
}

#[test]
#[ignore = "run in a process of its own"]
fn child_calls_everything() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let image = load(&artifact.path, &manifest, &host(&library.path)).expect("it loads");
    println!();
    for (name, signature, arguments) in [
        ("call_cos", "f64 (f64)", &[Value::Float(0.0)][..]),
        ("object", "i64 ()", &[]),
        ("inside", "i64 ()", &[]),
        ("word", "i64 ()", &[]),
        ("plain", "i64 ()", &[]),
        ("small", "i32 ()", &[]),
        ("header", "i64 ()", &[]),
        ("payload", "f64 ()", &[]),
        ("last", "i64 ()", &[]),
        ("numba", "i32 (out f64, out ptr, f64)", &[Value::Float(0.0)]),
    ] {
        println!("{name} = {}", call(&image, name, signature, arguments));
    }
}

#[test]
fn sealed_words_are_read_only_afterwards() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let image = load(&artifact.path, &manifest, &host(&library.path)).expect("it loads");
    for (symbol, wanted) in [("slot_cos", "r--p"), ("box", "r--p"), ("slot_plain", "rw-p")] {
        assert_eq!(protection(image.address(symbol).expect("it is exported")), wanted, "{symbol}");
    }
    assert_eq!(image.word("slot_object", 0).expect("it has a site"), 0x7000_0000_0100);
    assert_eq!(image.word("box", 24).expect("it is inside"), 0x7000_0000_0100);
    assert!(matches!(image.word("box", 32), Err(LoadError::Memory { .. })), "past the end");
    let (status, text) = child("load::child_writes_to_a_sealed_word");
    assert_eq!(status.signal(), Some(11), "{text}");
    assert!(text.contains("unsealed is fine"), "{text}");
}

#[test]
#[ignore = "run in a process of its own, which it ends"]
fn child_writes_to_a_sealed_word() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let image = load(&artifact.path, &manifest, &host(&library.path)).expect("it loads");
    let write = |symbol: &str| {
        let place = image.address(symbol).expect("it is exported") as *mut u64;
        // SAFETY: it is a word of the image; where it is read-only the process ends, as is wanted.
        unsafe { place.write_volatile(1) };
    };
    write("slot_plain");
    println!("unsealed is fine");
    write("slot_object");
}

#[test]
fn one_unresolved_referent_and_nothing_is_loaded() {
    let (status, text) = child("load::child_lacks_a_referent");
    assert!(status.success(), "{text}");
    let (before, after) = text.split_once("and now with it").expect("both were tried");
    assert!(!before.contains("constructed"), "its code ran\n{text}");
    assert!(after.contains("constructed"), "{text}");
}

#[test]
#[ignore = "run in a process of its own"]
fn child_lacks_a_referent() {
    let is_mapped =
        || std::fs::read_to_string("/proc/self/maps").expect("the kernel tells").contains("memfd:relo");
    let life = artifact("life");
    let manifest = life.manifest(&[("slot_host", 0, 64, object("count", 0))]);
    let nobody = Callback(|_: &_| Err("it is not here".to_owned()));
    assert!(
        matches!(load(&life.path, &manifest, &nobody), Err(LoadError::Unresolved(all)) if all.len() == 1)
    );
    assert!(!is_mapped());
    println!("and now with it");
    let count = Arc::new(AtomicU64::new(0));
    let image = load(&life.path, &manifest, &counting(&count)).expect("it loads");
    assert!(is_mapped());
    drop(image);
    assert!(!is_mapped());
}

/// A host whose object is a count. Its root says when it is dropped, by adding 100 to it.
fn counting(count: &Arc<AtomicU64>) -> impl relo_loader::Resolver + use<> {
    struct Root(Arc<AtomicU64>);
    impl Drop for Root {
        fn drop(&mut self) {
            let gone = self.0.fetch_add(100, Ordering::SeqCst);
            assert_eq!(gone, 1, "the image's code has run for the last time before its roots are dropped");
        }
    }
    let count = count.clone();
    Callback(move |_: &_| {
        Ok(Resolved { word: count.as_ptr() as u64, root: Some(Arc::new(Root(count.clone()))) })
    })
}

#[test]
fn initialisers_find_the_words_of_their_session() {
    let early = artifact("early");
    let manifest = early.manifest(&[
        ("slot_sealed", 0, 64, object("a", 0)),
        ("slot_filled", 0, 64, object("a", 1)),
        ("zeroed", 1500 * 8, 64, object("a", 20)),
        ("zeroed", 3 * 8, 32, object("a", 300)),
    ]);
    let objects = Callback(|_: &_| Ok(Resolved { word: 1, root: None }));
    let image = load(&early.path, &manifest, &objects).expect("it loads");
    let seen = ["sealed", "filled", "zero", "rest"].map(|name| integer(&image, name));
    assert_eq!(seen, [1, 2, 21 + 301, 2]);
    let image = load_bytes(early.bytes, &manifest, &objects).expect("it loads from memory too");
    assert_eq!(integer(&image, "zero"), 322);
}

#[test]
fn a_word_that_the_artifact_relocates_itself_is_refused() {
    let early = artifact("early");
    let manifest = early.manifest(&[("moved", 0, 64, object("a", 0))]);
    let objects = Callback(|_: &_| Ok(Resolved { word: 1, root: None }));
    let error = load(&early.path, &manifest, &objects).err().expect("it is refused");
    relo_testkit::snapshots("loader", || insta::assert_snapshot!("relocated", crate::support::told(&error)));
}

#[test]
fn roots_live_as_long_as_the_image() {
    let life = artifact("life");
    let manifest = life.manifest(&[("slot_host", 0, 64, object("count", 0))]);
    let count = Arc::new(AtomicU64::new(0));
    let resolver = counting(&count);
    let image = load(&life.path, &manifest, &resolver).expect("it loads");
    assert_eq!((integer(&image, "count"), count.load(Ordering::SeqCst)), (0, 0));
    drop(image);
    assert_eq!(count.load(Ordering::SeqCst), 101, "the destructor ran, then the root went");
    // A load that fails later lets go of them as well.
    let missing = artifact("missing");
    let mut manifest = missing.manifest(&[]);
    manifest.entries.clear();
    let error = load(&missing.path, &manifest, &resolver).err().expect("a function is missing");
    relo_testkit::snapshots("loader", || insta::assert_snapshot!("link", crate::support::told(&error)));
}

#[test]
fn each_load_makes_an_image_of_its_own() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let with = |word: u64| {
        let objects = Callback(move |_: &_| Ok(Resolved { word, root: None }));
        let mut manifest = manifest.clone();
        manifest.sites.retain(|site| site.symbol == "slot_object");
        manifest.referents = vec![object("thing", 0)];
        manifest.sites[0].referent = 0;
        load(&artifact.path, &manifest, &objects).expect("it loads")
    };
    let images: Vec<SharedObject> = (1..=20).map(with).collect();
    let read: Vec<u64> = images.iter().map(|image| integer(image, "object")).collect();
    assert_eq!(read, (1..=20).collect::<Vec<u64>>());
    drop(images);
    // The descriptors are free again, and another artifact gets them.
    let other = crate::support::artifact("calls");
    let image = load(&other.path, &other.manifest(&[]), &host(&library.path)).expect("it loads");
    assert_eq!(call(&image, "negate64", "i64 (i64)", &[Value::Int(3)]), "-3");
}

#[test]
fn data_of_its_own_and_stripped_artifacts_are_filled_in() {
    let objects = Callback(|_: &_| Ok(Resolved { word: 5, root: None }));
    let whole = artifact("words");
    let manifest = whole.manifest(&[("local", 0, 64, object("thing", 0))]);
    let image = load(&whole.path, &manifest, &objects).expect("it loads");
    assert_eq!(integer(&image, "read_local"), 5);
    // Without its symbol table an artifact has what it exports, and no more.
    let stripped = artifact_with("words", &["-s"]);
    let exported = stripped.manifest(&[("slot_object", 0, 64, object("thing", 0))]);
    let image = load(&stripped.path, &exported, &objects).expect("it loads");
    assert_eq!(integer(&image, "object"), 5);
    let mut hidden = manifest.clone();
    hidden.artifact = exported.artifact.clone();
    assert!(matches!(load(&stripped.path, &hidden, &objects), Err(LoadError::Site { .. })));
}

#[test]
fn what_was_hashed_is_what_runs() {
    let library = artifact("host");
    let (artifact, manifest) = words(&library.path);
    let other = std::fs::read(&library.path).expect("readable");
    let path = artifact.path.clone();
    // The file is replaced while referents are resolved: after the hash was checked, before anything is opened.
    let chain = host(&library.path);
    let replacing = Callback(|referent: &_| {
        std::fs::write(&path, &other).expect("it can be written");
        relo_loader::Resolver::resolve(&chain, referent)
    });
    let image = load(&artifact.path, &manifest, &replacing).expect("it loads");
    assert_eq!(integer(&image, "word"), 33);
}

#[test]
fn sites_with_nothing_to_do_are_left_alone() {
    let artifact = artifact("words");
    let mut manifest = artifact.manifest(&[("baked", 0, 64, object("unknown", 0))]);
    manifest.sites[0].action = Action::None;
    manifest.sites[0].at = None;
    let nobody = Callback(|_: &_| Err("nobody is to ask".to_owned()));
    let image = load(&artifact.path, &manifest, &nobody).expect("it loads");
    assert_eq!(image.word("baked", 0).expect("it has a site"), 77);
}

#[test]
fn words_of_the_compiling_session_are_refused_where_portable_code_is_wanted() {
    let artifact = artifact("words");
    let mut manifest = artifact.manifest(&[]);
    let nobody = Callback(|_: &_| Err("nobody is to ask".to_owned()));
    load_portable(&artifact.path, &manifest, &nobody).expect("it is portable");
    manifest.portable = false;
    load(&artifact.path, &manifest, &nobody).expect("it loads");
    let error = load_portable(&artifact.path, &manifest, &nobody).err().expect("it is refused");
    relo_testkit::snapshots("loader", || {
        insta::assert_snapshot!("not_portable", crate::support::told(&error))
    });
}

#[test]
fn symbols_of_other_libraries_are_not_the_artifact_s() {
    let artifact = artifact("words");
    let nobody = Callback(|_: &_| Err("nobody is to ask".to_owned()));
    let image = load(&artifact.path, &artifact.manifest(&[]), &nobody).expect("it loads");
    image.address("call_cos").expect("it is its own");
    // The C library has it, and the artifact needs the C library.
    assert!(matches!(image.address("malloc"), Err(LoadError::Entry { .. })));
}

#[test]
fn what_was_checked_once_is_loaded_many_times() {
    let artifact = artifact("words");
    let manifest = artifact.manifest(&[("slot_object", 0, 64, object("thing", 0))]);
    let checked = Artifact::open(&artifact.path, &manifest).expect("it is right");
    // Its bytes are the ones that were checked, whatever becomes of the file.
    std::fs::write(&artifact.path, b"something else").expect("written");
    let with = |word: u64| {
        checked.load(&Callback(move |_: &_| Ok(Resolved { word, root: None }))).expect("it loads")
    };
    let images: Vec<SharedObject> = (1..=20).map(with).collect();
    for (image, word) in images.iter().zip(1..=20) {
        assert_eq!(integer(image, "object"), word);
    }
    let refused = checked.load(&Callback(|_: &_| Err("not today".to_owned()))).err();
    assert!(matches!(refused, Some(LoadError::Unresolved(_))));
}
