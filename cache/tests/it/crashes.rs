//! Writers are killed at any moment, disks are full: nothing half is ever read, nothing reported is lost.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use relo_cache::{Cache, Lookup};

use crate::support::{cache, cache_at, entry, key};

/// Keys that writers share, so that several write one.
const KEYS: u64 = 40;

/// Sizes differ from writer to writer of one key, as they must not in earnest: a mixture would show.
fn size(number: u64, writer: u64) -> usize {
    2000 + (number * 7919 + writer * 104_729) as usize % 300_000
}

fn writer(url: &str, seed: u64) -> Child {
    Command::new(std::env::current_exe().expect("this program has a file"))
        .args(["crashes::child_writes", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env("RELO_CACHE_TEST", url)
        .env("RELO_CACHE_SEED", seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs")
}

#[test]
#[ignore = "run in a process of its own, which is killed"]
fn child_writes() {
    let cache = cache_at(&std::env::var("RELO_CACHE_TEST").expect("a URL"));
    let seed: u64 = std::env::var("RELO_CACHE_SEED").expect("a seed").parse().expect("a number");
    println!("\nready");
    for round in 0.. {
        let number = (seed * 31 + round * 17) % KEYS;
        match cache.put(&key(number), &entry(number, size(number, seed % 5), true)) {
            Ok(_) => println!("kept {number}"),
            Err(error) => println!("failed {error}"),
        }
        std::io::stdout().flush().expect("somebody reads it");
    }
}

/// So many writers at a store are killed, each some milliseconds after it began, several at once, with four readers
/// beside them.
fn killed_writers(url: &str, kills: u64, within: u64) {
    let (done, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    let is_right = |cache: &Cache, number: u64| match cache.get(&key(number)).expect("read") {
        Lookup::Found(found) => {
            assert!((0..5).any(|writer| found == entry(number, size(number, writer), true)), "{number}");
            true
        }
        Lookup::Absent => false,
        Lookup::Damaged(damage) => panic!("{number}: {damage}"),
    };
    let kept = std::thread::scope(|scope| {
        for reader in 0..4 {
            let (done, reads) = (&done, &reads);
            scope.spawn(move || {
                let cache = cache_at(url);
                let mut number = reader;
                while !done.load(Ordering::Relaxed) {
                    reads.fetch_add(u64::from(is_right(&cache, number % KEYS)), Ordering::Relaxed);
                    number += 7;
                }
            });
        }
        let mut kept = std::collections::BTreeSet::new();
        for first in (0..kills).step_by(8) {
            let writers = (first..kills.min(first + 8)).map(|seed| (seed, writer(url, seed)));
            for (seed, mut child) in writers.collect::<Vec<_>>() {
                let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
                let ready = said.by_ref().map_while(Result::ok).any(|line| line == "ready");
                assert!(ready, "{seed} does not begin");
                // When it is killed is drawn from its number.
                std::thread::sleep(Duration::from_micros(seed * 7919 % (within * 1000)));
                child.kill().expect("it runs until then");
                for line in said.map_while(Result::ok) {
                    assert!(!line.starts_with("failed"), "{line}");
                    kept.extend(line.strip_prefix("kept ").and_then(|text| text.parse::<u64>().ok()));
                }
                child.wait().expect("it was killed");
            }
        }
        done.store(true, Ordering::Relaxed);
        kept
    });
    let reads = reads.into_inner();
    println!("{} keys were kept and read {reads} times", kept.len());
    assert!(kept.len() > 10 && reads > 10, "writers wrote and readers read");
    let cache = cache_at(url);
    let stats = cache.stats().expect("it can be listed");
    assert!(stats.entries >= kept.len(), "{stats:?}");
    for number in kept {
        assert!(is_right(&cache, number), "{number} was reported as kept");
    }
    let report = cache.verify().expect("read");
    assert!(report.damaged.is_empty() && report.left.entries == stats.entries, "{report:?}");
}

#[test]
fn killed_writers_leave_nothing_half_and_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    killed_writers(folder.path().to_str().expect("UTF-8"), 500, 20);
}

#[test]
#[cfg(feature = "redis")]
fn killed_writers_at_redis_leave_nothing_half_and_lose_nothing() {
    killed_writers(&relo_testkit::redis().url, 500, 20);
}

#[test]
#[cfg(feature = "s3")]
fn killed_writers_at_an_object_store_leave_nothing_half_and_lose_nothing() {
    killed_writers(&relo_testkit::s3().url, 100, 300);
}

#[test]
fn a_full_disk_keeps_what_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    cache(folder.path()).put(&key(1), &entry(1, 1000, true)).expect("kept");
    // A limit for files' sizes fails a write half-way, as a full disk does.
    let program = std::env::current_exe().expect("this program has a file");
    let script = "ulimit -f 16; trap '' XFSZ; exec \"$0\" crashes::child_fails --exact --ignored --nocapture";
    let output = Command::new("sh")
        .args(["-c", script])
        .arg(program)
        .env("RELO_CACHE_TEST", folder.path())
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let unfinished = std::fs::read_dir(folder.path().join("unfinished")).expect("it is there").count();
    assert_eq!(unfinished, 0, "nothing half is left");
}

#[test]
#[ignore = "run in a process of its own, which may not write much"]
fn child_fails() {
    let cache = cache(&PathBuf::from(std::env::var_os("RELO_CACHE_TEST").expect("a folder")));
    for number in [1, 2] {
        cache.put(&key(number), &entry(number, 1_000_000, true)).expect_err("it does not fit");
    }
    assert!(matches!(cache.get(&key(1)), Ok(Lookup::Found(found)) if found == entry(1, 1000, true)));
    assert!(matches!(cache.get(&key(2)), Ok(Lookup::Absent)));
}
