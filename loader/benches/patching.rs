//! Loading with so many words to write, beside the system's own loader with as many symbolic relocations.
//!
//! `make bench` runs it and prints the table of `benches/README.md`. Both libraries have the same words in read-only data, both
//! know them by the same names: relo by referents that a table of the host has, `ld.so` by symbols of a library that is
//! loaded already. *Patching* begins with an artifact that was checked, and ends with code that can be called, as `ld.so` does; *with
//! all checks* begins with files. Each time is the processor's, the best of several.
#![allow(unsafe_code, reason = "the system's loader is called")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use object::{Object as _, ObjectSymbol as _};
use relo_loader::{Artifact, Fixed, LoadError, Manifest, SharedObject, load};
use relo_referent::Referent;

#[path = "../tests/it/described.rs"]
mod described;
use described::{described, site};

const RUNS: usize = 7;

fn main() {
    // Cargo's own arguments say nothing here; a run as a test is a short one.
    let is_test = !std::env::args().any(|argument| argument == "--bench");
    let counts: &[usize] = if is_test { &[1_000] } else { &[1_000, 10_000, 100_000, 1_000_000] };
    println!("| words | patching | each | `ld.so` | each | ratio | with all checks | ratio |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for count in counts {
        let folder = tempfile::tempdir().expect("a folder");
        let case = Case::new(folder.path(), *count);
        let artifact = Artifact::open(&case.artifact, &case.manifest).expect("it is right");
        let [mut patching, mut system, mut whole] = [Duration::MAX; 3];
        // In turns, so that whatever else the machine does is in all.
        for _ in 0..RUNS {
            patching = patching.min(case.relo(|| artifact.load(&case.host)));
            system = system.min(case.system());
            whole = whole.min(case.relo(|| load(&case.artifact, &case.manifest, &case.host)));
        }
        let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
        let each = |time: Duration| format!("{:.0} ns", time.as_secs_f64() * 1e9 / *count as f64);
        let ratio = |time: Duration| time.as_secs_f64() / system.as_secs_f64();
        println!(
            "| {count} | {} | {} | {} | {} | {:.2} | {} | {:.2} |",
            milliseconds(patching),
            each(patching),
            milliseconds(system),
            each(system),
            ratio(patching),
            milliseconds(whole),
            ratio(whole)
        );
    }
}

/// What this thread has had of the processor: other work on the machine does not count.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the place is one for a time.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(failed, 0, "there is such a clock");
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

struct Case {
    count: usize,
    artifact: PathBuf,
    manifest: Manifest,
    host: Fixed,
    importer: PathBuf,
    /// Has what the importer refers to, and stays loaded.
    provider: Library,
}

/// A name as relo makes it of a referent.
fn name(index: usize) -> String {
    let hash = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("relo_thing_{index:07}_{hash:016x}")
}

impl Case {
    fn new(folder: &Path, count: usize) -> Self {
        let mut slots = String::from(".section .data.rel.ro,\"aw\"\n.p2align 3\n");
        let mut imports = format!("{slots}.globl first\nfirst:\n");
        let mut provided = String::from(".data\n.p2align 3\n");
        for name in (0..count).map(name) {
            let datum = format!(".type {name},@object\n.size {name},8\n{name}: .quad 0\n");
            write!(slots, ".weak {name}\n.protected {name}\n{datum}").expect("text takes all");
            writeln!(imports, ".quad {name}").expect("text takes all");
            write!(provided, ".globl {name}\n{datum}").expect("text takes all");
        }
        let artifact = assemble(folder, "slots", &slots, &[]);
        let path = assemble(folder, "provider", &provided, &[]);
        let importer = assemble(folder, "importer", &imports, &[&path]);
        // SAFETY: it has no code.
        let provider =
            unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) }.expect("the provider loads");
        let referent = |index| Referent::Object { runtime: "host".into(), key: name(index), addend: 0 };
        let host = (0..count).map(|index| (referent(index), index as u64 + 1)).collect::<BTreeMap<_, _>>();
        let manifest = manifest(&std::fs::read(&artifact).expect("readable"), host.keys().cloned().collect());
        Self { count, artifact, manifest, host: Fixed(host), importer, provider }
    }

    fn relo(&self, load: impl FnOnce() -> Result<SharedObject, LoadError>) -> Duration {
        let start = processor_time();
        let image = load().expect("it loads");
        let time = processor_time() - start;
        for index in [0, self.count / 2, self.count - 1] {
            assert_eq!(image.word(&name(index), 0).expect("it is there"), index as u64 + 1);
        }
        time
    }

    fn system(&self) -> Duration {
        let start = processor_time();
        // SAFETY: it has no code.
        let library =
            unsafe { Library::open(Some(&self.importer), RTLD_NOW | RTLD_LOCAL) }.expect("it loads");
        let time = processor_time() - start;
        // SAFETY: the names are those of data, and so many words.
        unsafe {
            let words = library.get::<*const u64>(b"first\0").expect("it is there").into_raw().cast::<u64>();
            let last = name(self.count - 1);
            let wanted = self.provider.get::<*const u64>(last.as_bytes()).expect("it is there").into_raw();
            assert_eq!(words.add(self.count - 1).read(), wanted as u64);
        }
        time
    }
}

fn assemble(folder: &Path, name: &str, text: &str, more: &[&Path]) -> PathBuf {
    let (source, library) = (folder.join(name).with_extension("s"), folder.join(name).with_extension("so"));
    std::fs::write(&source, text).expect("written");
    let mut command = Command::new("cc");
    // By the linker that relo has inside.
    command.args(["-B/usr/lib/llvm-22/bin", "-fuse-ld=lld", "-shared", "-nostdlib", "-Wl,-z,now", "-o"]);
    command.arg(&library);
    let status = command.arg(&source).args(more).status().expect("there is a C compiler");
    assert!(status.success(), "{name} does not assemble");
    library
}

/// What `relo compile` would say of the library.
fn manifest(bytes: &[u8], referents: Vec<Referent>) -> Manifest {
    let file = object::File::parse(bytes).expect("it is ELF");
    let found = file.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let places: BTreeMap<String, u64> = found
        .map(|symbol| (symbol.name().expect("a name").to_owned(), symbol.address()))
        .filter(|(name, _)| name.starts_with("relo_"))
        .collect();
    assert_eq!(places.len(), referents.len());
    let sites = places.iter().enumerate().map(|(referent, (symbol, at))| site(symbol, 0, 64, referent, *at));
    described(bytes, referents, sites.collect())
}
