//! A cached load beside compiling: `RELO=relo cargo bench -p relo-cache --bench loads`.
//!
//! The command compiles a module; its artifact is put into a cache in a folder. A load begins with the key and ends with a function
//! that can be called: the entry read and checked, the manifest parsed and checked, the artifact hashed, all referents
//! resolved, all words written. Times are the processor's, the best of several.
#![allow(unsafe_code, reason = "the processor's time is the system's to tell, and loaded code is called")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use relo_cache::{Cache, Entry, Folder, Key, KeyBuilder, Lookup};
use relo_loader::{Callback, Manifest, Resolved, SharedObject, load_bytes};
use relo_referent::Referent;

const COMPILES: usize = 5;
const LOADS: usize = 200;

/// So many words are in each function.
const EACH: usize = 10;

fn main() {
    let Some(relo) = std::env::var_os("RELO").map(PathBuf::from) else {
        println!("RELO names no command to compile by: nothing is measured");
        return;
    };
    println!("| words | artifact | `relo compile` | cached load | factor |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for words in [10, 100, 1_000] {
        let folder = tempfile::tempdir().expect("a folder");
        let input = folder.path().join("in.ll");
        std::fs::write(&input, module(words)).expect("written");
        let [mut compiling, mut loading] = [Duration::MAX; 2];
        let mut entry = None;
        for _ in 0..COMPILES {
            let before = used(libc::RUSAGE_CHILDREN);
            entry = Some(compile(&relo, &input, &folder.path().join("out.so")));
            compiling = compiling.min(used(libc::RUSAGE_CHILDREN) - before);
        }
        let entry = entry.expect("it was compiled");
        let cache = Cache::new(Box::new(Folder::new(folder.path().join("cache")).expect("a cache")), None);
        let mut key = KeyBuilder::new("bench");
        key.part("words", words.to_le_bytes());
        let key = key.finish();
        assert!(cache.put(&key, &entry).expect("it is kept"), "it is for any session");
        for _ in 0..LOADS {
            let before = used(libc::RUSAGE_SELF);
            let image = load(&cache, &key);
            let address = image.address("f0").expect("it is there");
            loading = loading.min(used(libc::RUSAGE_SELF) - before);
            // SAFETY: that is its type, and the image is alive.
            let sum =
                unsafe { std::mem::transmute::<*const (), extern "C" fn() -> u64>(address as *const ()) }();
            assert_eq!(sum, (1..=EACH as u64).sum::<u64>());
        }
        println!(
            "| {words} | {} bytes | {:.1} ms | {:.3} ms | {:.0} |",
            entry.artifact.len(),
            compiling.as_secs_f64() * 1e3,
            loading.as_secs_f64() * 1e3,
            compiling.as_secs_f64() / loading.as_secs_f64()
        );
    }
}

/// A module of functions that add words of a runtime.
fn module(words: usize) -> String {
    let mut text = String::new();
    for word in 0..words {
        writeln!(text, "@rt_{word} = external global i64").expect("text takes all");
    }
    for function in 0..words / EACH {
        writeln!(text, "define i64 @f{function}() {{\n  %s0 = add i64 0, 0").expect("text takes all");
        for index in 0..EACH {
            let (word, next) = (function * EACH + index, index + 1);
            writeln!(
                text,
                "  %w{index} = load i64, ptr @rt_{word}\n  %s{next} = add i64 %s{index}, %w{index}"
            )
            .expect("text takes all");
        }
        writeln!(text, "  ret i64 %s{EACH}\n}}").expect("text takes all");
    }
    text
}

fn compile(relo: &Path, input: &Path, output: &Path) -> Entry {
    let mut command = Command::new(relo);
    command.arg("compile").arg(input).arg("-o").arg(output);
    command.args(["-t", "x86_64-linux", "--use", "clang", "--set", "clang.words=^rt_"]);
    assert!(command.status().expect("the command runs").success());
    Entry {
        artifact: std::fs::read(output).expect("written"),
        manifest: std::fs::read_to_string(output.with_extension("so.reloc.json")).expect("written"),
        unseen: std::collections::BTreeMap::new(),
    }
}

fn load(cache: &Cache, key: &Key) -> SharedObject {
    let Lookup::Found(entry) = cache.get(key).expect("it can be read") else { panic!("it is there") };
    let manifest = Manifest::parse(&entry.manifest, "entry").expect("it is right");
    load_bytes(entry.artifact, &manifest, &Callback(word)).expect("it loads")
}

/// Words begin with 1.
fn word(referent: &Referent) -> Result<Resolved, String> {
    let Referent::Word { symbol, .. } = referent else { return Err("it is no word".into()) };
    let number = symbol.strip_prefix("rt_").and_then(|number| number.parse::<u64>().ok());
    Ok(Resolved { word: number.ok_or("it is another's")? + 1, root: None })
}

/// What this process, or its children, have had of the processor.
fn used(who: libc::c_int) -> Duration {
    // SAFETY: a record of numbers may be zero; the place is one for it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(who, &raw mut usage), 0, "there is such a count");
        usage
    };
    let duration =
        |time: libc::timeval| Duration::new(time.tv_sec.cast_unsigned(), time.tv_usec as u32 * 1000);
    duration(usage.ru_utime) + duration(usage.ru_stime)
}
