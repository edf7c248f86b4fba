//! What each resolver answers.

use std::fmt::Write as _;

use relo_loader::{Callback, Chain, Fixed, Policy, Process, Resolved, Resolver, apply_addend};
use relo_referent::Referent;

use crate::support::{artifact, object, symbol, word};

#[test]
fn reasons_are_told() {
    let library = artifact("host");
    let host = library.path.to_str().expect("a path that is text");
    let loaded = Process::default();
    let allowed = Process { policy: Policy::Allow([host.to_owned(), "libnot_here.so.1".to_owned()].into()) };
    let text = library.beside("text.so", b"no library");
    let text = text.to_str().expect("a path that is text").to_owned();
    let fake = Process { policy: Policy::Allow([text.clone()].into()) };
    let cases: [(&str, &dyn Resolver, Referent); 14] = [
        ("not loaded", &loaded, symbol("host_function", "libnot_here.so.1")),
        ("a path, not allowed", &loaded, symbol("host_function", host)),
        ("allowed, not there", &allowed, symbol("host_function", "libnot_here.so.1")),
        ("allowed, no library", &fake, symbol("host_function", &text)),
        ("no such symbol", &allowed, symbol("host_fonction", host)),
        (
            "no such symbol anywhere",
            &loaded,
            Referent::Symbol { name: "nowhere".into(), library: None, addend: 0 },
        ),
        ("not in that library", &loaded, symbol("host_table", "libc.so.6")),
        ("outside the datum", &allowed, word("host_table", 32, Some(host))),
        ("partly outside", &allowed, word("host_text", 12, Some(host))),
        ("far outside", &allowed, word("host_table", u64::MAX, Some(host))),
        ("not aligned", &allowed, word("host_text", 4, Some(host))),
        ("an object", &allowed, object("thing", 0)),
        ("not in the table", &Fixed::default(), object("thing", 0)),
        ("nobody", &Chain::default(), object("thing", 0)),
    ];
    let mut told = String::new();
    for (name, resolver, referent) in cases {
        let reason = resolver.resolve(&referent).err().unwrap_or_else(|| panic!("{name} was resolved"));
        writeln!(told, "{name}: {}", reason.replace(host, "host.so").replace(&text, "text.so"))
            .expect("text takes all");
    }
    relo_testkit::snapshots("loader", || insta::assert_snapshot!("reasons", told));
}

fn number(resolver: &dyn Resolver, referent: &Referent) -> u64 {
    apply_addend(resolver, referent).map(|resolved| resolved.word).expect("it is resolved")
}

#[test]
fn symbols_are_addresses_and_words_are_what_is_stored() {
    let library = artifact("host");
    let host = library.path.to_str().expect("a path that is text");
    let process = Process { policy: Policy::Allow([host.to_owned()].into()) };
    for (index, stored) in [11, 22, 33, 44].into_iter().enumerate() {
        assert_eq!(number(&process, &word("host_table", index as u64 * 8, Some(host))), stored);
    }
    assert_eq!(number(&process, &word("host_text", 0, Some(host))), u64::from_ne_bytes(*b"12345678"));
    let table = process.resolve(&symbol("host_table", host)).expect("it is there");
    let inside = Referent::Symbol { name: "host_table".into(), library: Some(host.into()), addend: -24 };
    assert_eq!(number(&process, &inside), table.word - 24);
    assert!(number(&process, &Referent::Symbol { name: "malloc".into(), library: None, addend: 0 }) > 0);
}

#[test]
fn a_library_stays_open_as_long_as_its_root() {
    let library = artifact("host");
    let host = library.path.to_str().expect("a path that is text");
    let is_mapped = || std::fs::read_to_string("/proc/self/maps").expect("the kernel tells").contains(host);
    let process = Process { policy: Policy::Allow([host.to_owned()].into()) };
    let resolved = process.resolve(&symbol("host_function", host)).expect("it is there");
    assert!(is_mapped());
    drop(resolved);
    assert!(!is_mapped());
}

#[test]
fn the_first_that_knows_answers_and_all_reasons_are_told() {
    let no = |reason: &'static str| Callback(move |_: &_| Err(reason.to_owned()));
    let yes = |word| Callback(move |_: &_| Ok(Resolved { word, root: None }));
    let chain = Chain(vec![Box::new(no("a")), Box::new(yes(1)), Box::new(yes(2))]);
    assert_eq!(number(&chain, &object("thing", 0)), 1);
    let chain = Chain(vec![Box::new(no("a")), Box::new(no("b")), Box::new(no("a"))]);
    assert_eq!(chain.resolve(&object("thing", 0)).err().as_deref(), Some("a; b"));
}

#[test]
fn addends_are_added_once_whoever_answers() {
    let asked = Callback(|referent: &Referent| {
        assert!(matches!(referent, Referent::Object { addend: 0, .. }), "resolvers see no addend");
        Ok(Resolved { word: 100, root: None })
    });
    assert_eq!(number(&asked, &object("thing", 8)), 108);
    assert_eq!(number(&asked, &object("thing", -101)), u64::MAX);
    let fixed = Fixed([(object("thing", 0), 200)].into());
    assert_eq!(number(&Chain(vec![Box::new(fixed)]), &object("thing", 8)), 208);
}

#[test]
fn null_is_no_address() {
    let null = Callback(|_: &Referent| Ok(Resolved { word: 0, root: None }));
    for referent in [object("thing", 0), object("thing", 8), symbol("function", "lib.so")] {
        let reason = apply_addend(&null, &referent).err();
        assert_eq!(reason.as_deref(), Some("the resolver answers null, which is no address"), "{referent}");
    }
    // What is stored somewhere may be null.
    assert_eq!(number(&null, &word("table", 0, None)), 0);
}

/// However many are asked for at once, in whatever order, each gets the answer that it gets alone.
#[test]
fn answers_to_many_are_the_answers_to_each() {
    let first = Fixed([3, 4, 7, 9].map(|key| (object(&key.to_string(), 0), key)).into());
    let second = Fixed([1, 4, 8].map(|key| (object(&key.to_string(), 0), 100 + key)).into());
    let chain = Chain(vec![
        Box::new(&first),
        Box::new(&second),
        Box::new(Callback(|_: &Referent| Err("the last does not know it".to_owned()))),
    ]);
    let asked: Vec<Referent> =
        (0..10).chain((0..10).rev()).map(|key: u32| object(&key.to_string(), 0)).collect();
    let asked: Vec<&Referent> = asked.iter().collect();
    let plain = |answer: Result<Resolved, String>| answer.map(|resolved| resolved.word);
    for resolver in [&first as &dyn Resolver, &second, &chain, &Chain::default()] {
        let all: Vec<_> = resolver.resolve_all(&asked).into_iter().map(plain).collect();
        let each: Vec<_> = asked.iter().map(|referent| plain(resolver.resolve(referent))).collect();
        assert_eq!(all, each);
    }
    assert_eq!(plain(chain.resolve(&object("4", 0))), Ok(4));
}
