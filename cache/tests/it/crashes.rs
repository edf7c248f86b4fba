//! Writers are killed at any moment, disks are full: nothing half is ever read, nothing reported is lost.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use relo_cache::Lookup;

use crate::support::{cache, entry, key};

/// Keys that writers share, so that several write one.
const KEYS: u64 = 40;

/// Sizes differ from writer to writer of one key, as they must not in earnest: a mixture would show.
fn size(number: u64, writer: u64) -> usize {
    2000 + (number * 7919 + writer * 104_729) as usize % 300_000
}

fn writer(folder: &std::path::Path, seed: u64) -> Child {
    Command::new(std::env::current_exe().expect("this program has a file"))
        .args(["crashes::child_writes", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env("RELO_CACHE_TEST", folder)
        .env("RELO_CACHE_SEED", seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs")
}

#[test]
#[ignore = "run in a process of its own, which is killed"]
fn child_writes() {
    let cache = cache(&PathBuf::from(std::env::var_os("RELO_CACHE_TEST").expect("a folder")));
    let seed: u64 = std::env::var("RELO_CACHE_SEED").expect("a seed").parse().expect("a number");
    println!();
    for round in 0.. {
        let number = (seed * 31 + round * 17) % KEYS;
        match cache.put(&key(number), &entry(number, size(number, seed % 5), true)) {
            Ok(_) => println!("kept {number}"),
            Err(error) => println!("failed {error}"),
        }
        std::io::stdout().flush().expect("somebody reads it");
    }
}

/// The full run, `RELO_KILLS=500`, takes a minute or two.
#[test]
fn killed_writers_leave_nothing_half_and_lose_nothing() {
    let kills: u64 = std::env::var("RELO_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    let folder = tempfile::tempdir().expect("a folder");
    let (done, reads) = (AtomicBool::new(false), AtomicU64::new(0));
    let is_right = |number: u64| match cache(folder.path()).get(&key(number)).expect("read") {
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
                let mut number = reader;
                while !done.load(Ordering::Relaxed) {
                    reads.fetch_add(u64::from(is_right(number % KEYS)), Ordering::Relaxed);
                    number += 7;
                }
            });
        }
        let mut kept = std::collections::BTreeSet::new();
        // Four writers at once; when each is killed is drawn from its number.
        for first in (0..kills).step_by(4) {
            let mut writers: Vec<(u64, Child)> =
                (first..kills.min(first + 4)).map(|seed| (seed, writer(folder.path(), seed))).collect();
            for (seed, child) in &mut writers {
                std::thread::sleep(Duration::from_micros(5000 + *seed * 7919 % 60_000));
                child.kill().expect("it runs until then");
            }
            for (_, mut child) in writers {
                let said = BufReader::new(child.stdout.take().expect("it is piped"));
                for line in said.lines().map_while(Result::ok) {
                    assert!(!line.starts_with("failed"), "{line}");
                    kept.extend(line.strip_prefix("kept ").and_then(|text| text.parse::<u64>().ok()));
                }
                child.wait().expect("it was killed");
            }
        }
        done.store(true, Ordering::Relaxed);
        kept
    });
    assert!(!kept.is_empty() && reads.into_inner() > 0, "writers wrote and readers read");
    for number in kept {
        assert!(is_right(number), "{number} was reported as kept");
    }
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
