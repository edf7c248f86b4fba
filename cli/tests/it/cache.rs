//! What is compiled once is not compiled again: not in this session, nor in another.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::support::{arg, corpus, folder, relo, relo_ok, run};

fn compile(cache: &Path, session: &str, output: &Path, more: &[&str]) -> String {
    compile_at(arg(cache), session, output, more)
}

fn compile_at(cache: &str, session: &str, output: &Path, more: &[&str]) -> String {
    let input = corpus(&format!("numba/session-{session}/calls_two.ll"));
    let table = corpus(&format!("numba/session-{session}/calls_two.session.json"));
    let cache = format!("--cache={cache}");
    let mut arguments = vec!["compile", arg(&input), "--session", arg(&table), &cache, "-o", arg(output)];
    arguments.extend(["--target", "x86_64-linux"]);
    arguments.extend(more);
    let said = relo(&arguments);
    assert!(said.status.success(), "{said:?}");
    String::from_utf8_lossy(&said.stderr).into_owned()
}

fn entries(cache: &Path) -> u64 {
    look_after(arg(cache), &["stats"])["entries"].as_u64().expect("a number")
}

/// What `relo cache` says.
fn look_after(cache: &str, arguments: &[&str]) -> serde_json::Value {
    let text = relo_ok(&[&["cache", "--cache", cache, "--format", "json"], arguments].concat());
    serde_json::from_str(&text).expect("it is JSON")
}

#[test]
fn another_session_finds_what_one_has_compiled() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let cache = path("cache");
    let start = Instant::now();
    compile(&cache, "a", &path("a.so"), &[]);
    let compiled = start.elapsed();
    assert_eq!(entries(&cache), 1);
    let start = Instant::now();
    compile(&cache, "b", &path("b.so"), &[]);
    println!("compiled in {compiled:?}, found in {:?}", start.elapsed());
    assert_eq!(entries(&cache), 1, "it is the same entry");
    let read = |name: &str| std::fs::read(path(name)).expect("written");
    assert_eq!(read("a.so"), read("b.so"));
    assert_eq!(read("a.so.reloc.json"), read("b.so.reloc.json"));
    // What makes another artifact is another entry.
    compile(&cache, "a", &path("c.so"), &["-O0"]);
    compile(&cache, "a", &path("d.o"), &["--emit", "object"]);
    assert_eq!(entries(&cache), 3);
}

#[test]
fn damage_is_told_and_compiled_again() {
    let folder = folder();
    let (cache, output) = (folder.path().join("cache"), folder.path().join("out.so"));
    compile(&cache, "a", &output, &[]);
    let good = std::fs::read(&output).expect("written");
    let shard = std::fs::read_dir(&cache).expect("it is there").flatten().map(|entry| entry.path());
    let shard = shard.into_iter().find(|path| !path.ends_with("unfinished")).expect("one entry");
    let entry = std::fs::read_dir(shard).expect("it is there").flatten().next().expect("one entry").path();
    let whole = std::fs::read(&entry).expect("it is there");
    std::fs::write(&entry, &whole[..whole.len() - 1]).expect("written");
    let said = compile(&cache, "b", &output, &[]);
    assert!(said.contains("relo::cache::damaged"), "{said}");
    assert_eq!(std::fs::read(&output).expect("written"), good);
    assert_eq!(std::fs::read(&entry).expect("it is kept again"), whole);
    assert_eq!(compile(&cache, "b", &output, &[]), "");
}

#[test]
fn what_is_one_session_s_is_not_kept() {
    let folder = folder();
    let (cache, output) = (folder.path().join("cache"), folder.path().join("out.so"));
    compile(&cache, "a", &output, &["--strategy", "bake"]);
    assert_eq!(entries(&cache), 0);
    // An address that was folded into another number is no leak that could be seen, but its value matters.
    let (input, table) = (folder.path().join("sum.ll"), folder.path().join("table.json"));
    let text = "define i64 @f() {\n  ret i64 add (i64 139637980925952, i64 8)\n}\n";
    std::fs::write(&input, text).expect("written");
    let entry = "{\"address\": \"0x7f0000401000\", \"target\": {\"symbol\": {\"name\": \"s\"}}}";
    std::fs::write(&table, format!("{{\"entries\": [{entry}]}}")).expect("written");
    let (url, target) = (format!("--cache={}", arg(&cache)), "x86_64-linux");
    let arguments =
        ["compile", arg(&input), "--session", arg(&table), &url, "-o", arg(&output), "-t", target];
    let said = relo(&arguments);
    assert!(String::from_utf8_lossy(&said.stderr).contains("relo::cache::bound"), "{said:?}");
    assert_eq!(entries(&cache), 0);
}

#[test]
fn a_cache_that_cannot_be_used_is_told() {
    let folder = folder();
    let output = folder.path().join("out.so");
    // Its folder can't be made: something else has the name.
    std::fs::write(folder.path().join("file"), "").expect("written");
    let said = compile(&folder.path().join("file/cache"), "a", &output, &[]);
    assert!(said.contains("relo::cache::store"), "{said}");
    assert!(output.exists());
}

/// Two machines are two folders and two sessions: they have nothing in common but the store.
fn machines_share(url: &str) {
    let (here, there) = (folder(), folder());
    let (one, other) = (here.path().join("a.so"), there.path().join("b.so"));
    assert_eq!(compile_at(url, "a", &one, &[]), "");
    assert_eq!(look_after(url, &["stats"])["entries"], 1);
    assert_eq!(compile_at(url, "b", &other, &[]), "");
    assert_eq!(look_after(url, &["verify"])["entries"], 1, "it is the same entry");
    assert_eq!(std::fs::read(one).expect("written"), std::fs::read(other).expect("written"));
    assert_eq!(look_after(url, &["gc", "--limit", "0"])["evicted"], 1);
    assert_eq!(look_after(url, &["stats"])["entries"], 0);
}

#[test]
fn machines_share_a_redis() {
    machines_share(&relo_testkit::redis().url);
}

#[test]
fn machines_share_an_object_store() {
    machines_share(&relo_testkit::s3().url);
}

#[test]
fn machines_share_a_folder() {
    let folder = folder();
    machines_share(&format!("file://{}", arg(folder.path())));
}

/// It costs a warning, once, and no second wait.
#[test]
fn a_store_out_of_reach_costs_one_warning() {
    let folder = folder();
    let output = folder.path().join("out.so");
    let start = Instant::now();
    let said = compile_at("redis://127.0.0.1:1", "a", &output, &[]);
    assert_eq!(said.matches("relo::cache::store").count(), 2, "a warning, and where to read more: {said}");
    assert!(output.exists() && start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
}

#[test]
fn the_environment_names_the_cache() {
    let folder = folder();
    let (cache, output) = (folder.path().join("cache"), folder.path().join("out.so"));
    let input = corpus("numba/session-a/calls_two.ll");
    let table = corpus("numba/session-a/calls_two.session.json");
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command.env("RELO_CACHE", &cache).arg("compile").arg(input).arg("--session").arg(table);
    run(command.args(["--cache", "-t", "x86_64-linux", "-o"]).arg(output));
    assert_eq!(entries(&cache), 1);
}

#[test]
fn a_folder_keeps_to_its_limit() {
    let folder = folder();
    let (cache, output) = (folder.path().join("cache"), folder.path().join("out.so"));
    compile(&cache, "a", &output, &[]);
    assert_eq!(look_after(arg(&cache), &["gc", "--limit", "1m"])["entries"], 1);
    assert_eq!(look_after(arg(&cache), &["gc", "--limit", "100"])["evicted"], 1);
    compile(&cache, "a", &output, &["--cache-limit", "2T"]);
    for wrong in ["lots", "5X", "-1", "99999999999T", "G", ""] {
        let limit = format!("--limit={wrong}");
        let said = relo(&["cache", "--cache", arg(&cache), "gc", &limit]);
        assert_eq!(said.status.code(), Some(2), "{wrong}: {said:?}");
    }
}
