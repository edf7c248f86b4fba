//! Stores that machines share, with real servers: what one machine keeps another finds.

use relo_cache::{Cache, Lookup, open};
use relo_testkit::Server;

use crate::support::{cache_at, entry, key};

/// What holds of every store that machines share; `beside` puts something that is no entry beside the entries.
fn is_shared(server: &Server, beside: impl FnOnce(&str)) {
    let (here, there) = (cache_at(&server.url), cache_at(&server.url));
    assert!(matches!(here.get(&key(1)), Ok(Lookup::Absent)));
    assert_eq!(here.stats().expect("it can be listed").entries, 0);
    for number in 1..=4 {
        assert!(here.put(&key(number), &entry(number, 100_000, true)).expect("kept"));
    }
    assert!(matches!(there.get(&key(1)), Ok(Lookup::Found(found)) if found == entry(1, 100_000, true)));
    assert!(!there.put(&key(5), &entry(5, 100, false)).expect("nothing fails"), "it is one session's");
    assert!(matches!(there.get(&key(5)), Ok(Lookup::Absent)));
    let stats = there.stats().expect("it can be listed");
    assert!(stats.entries == 4 && stats.bytes > 400_000, "{stats:?}");

    // Half an entry, and one with a changed byte.
    let store = open(&server.url).expect("there is such a store");
    let mut bytes = entry(2, 100_000, true).encode(&key(2));
    store.put(&key(3).to_string(), &bytes[..50_000]).expect("kept");
    bytes[70_000] ^= 1;
    store.put(&key(2).to_string(), &bytes).expect("kept");
    beside("mine");
    for number in [2, 3] {
        assert!(matches!(there.get(&key(number)), Ok(Lookup::Damaged(_))), "{number} is never used");
    }
    assert!(there.put(&key(2), &entry(2, 100_000, true)).expect("kept"), "it is replaced");
    let report = there.verify().expect("read");
    assert_eq!((report.left.entries, report.damaged.len()), (3, 1));
    assert!(matches!(here.get(&key(3)), Ok(Lookup::Absent)), "verify removes it");

    let report = here.gc(250_000).expect("evicted");
    assert_eq!((report.left.entries, report.evicted), (2, 1));
    assert_eq!(here.gc(0).expect("evicted").left.entries, 0);
    assert_eq!(store.get("mine").expect("read").as_deref(), Some(&b"mine"[..]), "it is no entry");
}

fn put(server: &Server) -> impl FnOnce(&str) {
    let store = open(&server.url).expect("there is such a store");
    move |name| store.put(name, name.as_bytes()).expect("kept")
}

/// A writer keeps to the limit by itself, now and then.
fn keeps_to_its_limit(server: &Server) {
    let store = open(&server.url).expect("there is such a store");
    let cache = Cache::new(store, Some(300_000));
    for number in 0..400 {
        cache.put(&key(number), &entry(number, 20_000, true)).expect("kept");
    }
    let stats = cache.stats().expect("it can be listed");
    assert!(stats.entries > 0 && stats.bytes < 6_000_000, "{stats:?}");
}

#[test]
#[cfg(feature = "redis")]
fn redis_is_shared() {
    let server = relo_testkit::redis();
    is_shared(&server, put(&server));
    keeps_to_its_limit(&server);
    // Another folder of the same server, and another database, are other caches.
    let host = server.url.strip_suffix("/relo").expect("a folder");
    let other = |path: &str| cache_at(&format!("{host}/{path}"));
    other("[a]*/b").put(&key(1), &entry(1, 100, true)).expect("kept");
    assert_eq!(other("[a]*/b").stats().expect("listed").entries, 1);
    for path in ["a/b", "axx/b", "3", "[a]*"] {
        assert_eq!(other(path).stats().expect("listed").entries, 0, "{path}");
    }
}

#[test]
#[cfg(feature = "redis")]
fn what_was_used_longest_ago_goes_first_from_redis() {
    let server = relo_testkit::redis();
    let cache = cache_at(&server.url);
    for number in 1..=3 {
        cache.put(&key(number), &entry(number, 10_000, true)).expect("kept");
    }
    // Redis counts seconds.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    cache.get(&key(2)).expect("read");
    assert_eq!(cache.gc(15_000).expect("evicted").left.entries, 1);
    assert!(matches!(cache.get(&key(2)), Ok(Lookup::Found(_))));
}

#[test]
#[cfg(feature = "s3")]
fn an_object_store_is_shared() {
    let server = relo_testkit::s3();
    is_shared(&server, put(&server));
    keeps_to_its_limit(&server);
}

/// A store that is not there, or not of this build, is told of with its name, and nothing secret.
#[test]
#[cfg(all(feature = "s3", feature = "redis"))]
fn a_store_that_is_not_there_is_told_of() {
    for url in [
        "redis://me:se%20cret@127.0.0.1:1/relo?password=secret",
        "s3://bucket/relo?endpoint=http://127.0.0.1:1&region=r&access_key_id=secret&secret_access_key=secret",
    ] {
        let start = std::time::Instant::now();
        let cache = cache_at(url);
        for error in [cache.get(&key(1)).expect_err("it is not there"), cache.stats().expect_err("nor now")] {
            let text = error.to_string();
            assert!(text.contains(&format!("`{}://", &url[..url.find(':').expect("a scheme")])), "{text}");
            assert!(
                text.contains("onnect") && !text.contains("secret") && !text.contains("se cret"),
                "{text}"
            );
        }
        assert!(start.elapsed().as_secs() < 60, "{url} takes {:?}", start.elapsed());
    }
    for (url, part) in [
        ("carrier-pigeon://coop", "no stores of kind `carrier-pigeon`"),
        ("s3://bucket", "region"),
        ("redis://", "endpoint"),
        ("redis://[", "no URL"),
    ] {
        let text = open(url).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains(part), "{url}: {text}");
    }
}
