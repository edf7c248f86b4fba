//! Words of a runtime in C: patched, baked and linked the ordinary way, code does the same.

use std::path::{Path, PathBuf};
use std::process::Command;

use relo_testkit::root;

use crate::support::{arg, corpus, folder, manifest, relo_ok, run};

const ARENA: u64 = 0x1000_0000_0000;

/// The value that the word at an index of the arena holds.
fn value(index: u64) -> u64 {
    ARENA + 0x1000 + index * 16 + 8
}

/// The host's library: its data are absolute symbols.
fn host(folder: &Path) -> PathBuf {
    let library = folder.join("librt_host.so");
    let words = ["rt_true", "rt_false", "rt_nothing", "rt_float64_type", "rt_int64_type"];
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-O1", "-o", arg(&library)]);
    command.arg(root().join("cli/tests/data/runtime_host.c"));
    for (index, word) in words.iter().enumerate() {
        command.arg(format!("-Wl,--defsym={word}={:#x}", ARENA + 8 * index as u64));
    }
    command.arg(format!("-Wl,--defsym=rt_small_typeof={:#x}", ARENA + 8 * 32));
    run(&mut command);
    library
}

/// Every function of the module, with arguments.
fn calls() -> Vec<(&'static str, &'static str, Vec<String>)> {
    let pointer = |index: u64| format!("{:#x}", value(index));
    let mut calls = Vec::new();
    for index in [0, 1, 2, 3, 17, 100, 101] {
        calls.push(("is_true", "i32 (ptr)", vec![pointer(index)]));
        calls.push(("is_float64", "i32 (ptr)", vec![pointer(index)]));
        calls.push(("dynamic_small_type", "ptr (ptr)", vec![pointer(index)]));
        calls.push(("negate", "ptr (ptr)", vec![pointer(index)]));
        calls.push(("add_boxed", "f64 (ptr, ptr)", vec![pointer(index), pointer(50)]));
    }
    calls.push(("fourth_small_type", "ptr ()", vec![]));
    calls.push(("address_of_nothing", "ptr ()", vec![]));
    for index in 0..3 {
        calls.push(("pick", "ptr (i32)", vec![index.to_string()]));
    }
    calls
}

fn results(artifact: &Path, library: &Path) -> Vec<String> {
    calls()
        .into_iter()
        .map(|(name, signature, arguments)| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
            command.env("LD_PRELOAD", library).args(["run", "--bound", arg(artifact), "--entry", name]);
            command.args(["--signature", signature, "--"]).args(&arguments);
            format!("{name}({}) = {}", arguments.join(", "), run(&mut command).trim())
        })
        .collect()
}

#[test]
fn patched_baked_and_linked_code_does_the_same() {
    let folder = folder();
    let library = host(folder.path());
    let input = corpus("clang/host_runtime.ll");
    let compile = |name: &str, more: &[&str]| {
        let output = folder.path().join(name);
        let mut arguments = vec!["compile", arg(&input), "--target", "x86_64-linux", "-o", arg(&output)];
        arguments.extend(more);
        relo_ok(&arguments);
        output
    };
    let words = ["--use", "clang", "--set", "clang.words=^rt_"];
    let linked = compile("linked.so", &[]);
    let patched = compile("patched.so", &words);
    let mut bake = words.to_vec();
    bake.extend(["--strategy", "bake", "--load", arg(&library)]);
    let baked = compile("baked.so", &bake);

    let expected = results(&linked, &library);
    assert_eq!(results(&patched, &library), expected);
    assert_eq!(results(&baked, &library), expected);
    for strategy in ["import", "table"] {
        let mut arguments = words.to_vec();
        arguments.extend(["--strategy", strategy]);
        let artifact = compile(&format!("{strategy}.so"), &arguments);
        assert_eq!(results(&artifact, &library), expected, "{strategy}");
    }

    // The words themselves, so that three equal mistakes don't pass.
    let say =
        |name: &str| expected.iter().find(|line| line.starts_with(name)).expect("it was called").clone();
    assert_eq!(say("fourth_small_type"), format!("fourth_small_type() = {}", value(16 + 4)));
    assert_eq!(say("address_of_nothing"), format!("address_of_nothing() = {}", ARENA + 16));
    assert_eq!(say("pick(2"), format!("pick(2) = {}", value(16 + 7)));

    let sites = manifest(&patched);
    let fourth =
        sites["referents"].as_array().expect("referents").iter().any(|referent| {
            referent["word"]["symbol"] == "rt_small_typeof" && referent["word"]["offset"] == 32
        });
    assert!(fourth, "rt_small_typeof[4] is the word at offset 32");
    assert_eq!(sites["portable"], true);
    assert_eq!(manifest(&baked)["portable"], false);
    assert_eq!(manifest(&baked)["sites"], serde_json::json!([]));
}

#[test]
fn written_words_are_read_only() {
    let folder = folder();
    let library = host(folder.path());
    let source = folder.path().join("probe.c");
    // The host looks at its own memory map while the image is loaded.
    std::fs::write(
        &source,
        "#include <stdio.h>\n#include <string.h>\n\
         long sealed(void *p) { FILE *f = fopen(\"/proc/self/maps\", \"r\"); char line[512], mode[8]; \
         unsigned long a, b; while (fgets(line, 512, f)) if (sscanf(line, \"%lx-%lx %7s\", &a, &b, mode) == 3 && \
         a <= (unsigned long)p && (unsigned long)p < b) return strncmp(mode, \"r--\", 3) == 0; return -1; }\n",
    )
    .expect("written");
    let probe = folder.path().join("libprobe.so");
    run(Command::new("cc").args(["-shared", "-fPIC", "-o", arg(&probe), arg(&source)]));
    let module = folder.path().join("sealed.ll");
    std::fs::write(
        &module,
        "@rt_true = external global ptr\n@words = constant [1 x ptr] [ptr @rt_true]\ndeclare i64 @sealed(ptr)\n\
         define i64 @check() {\n  %1 = call i64 @sealed(ptr @words)\n  ret i64 %1\n}\n",
    )
    .expect("written");
    let output = folder.path().join("sealed.so");
    let words = ["--use", "clang", "--set", "clang.words=^rt_"];
    let mut arguments = vec!["compile", arg(&module), "--target", "x86_64-linux", "-o", arg(&output)];
    arguments.extend(words);
    relo_ok(&arguments);
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command.env("LD_PRELOAD", format!("{}:{}", arg(&library), arg(&probe)));
    command.args(["run", arg(&output), "--entry", "check", "--signature", "i64 ()"]);
    assert_eq!(run(&mut command).trim(), "1", "the page of a patched constant is read-only");
}

#[test]
fn a_baked_artifact_is_not_loaded_by_chance() {
    let folder = folder();
    let library = host(folder.path());
    let (input, output) = (corpus("clang/host_runtime.ll"), folder.path().join("baked.so"));
    let words =
        ["--use", "clang", "--set", "clang.words=^rt_", "--strategy", "bake", "--load", arg(&library)];
    let mut arguments = vec!["compile", arg(&input), "--target", "x86_64-linux", "-o", arg(&output)];
    arguments.extend(words);
    relo_ok(&arguments);
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command.env("LD_PRELOAD", &library).args(["run", arg(&output), "--entry", "fourth_small_type"]);
    let said = command.args(["--signature", "ptr ()"]).output().expect("relo runs");
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stderr).contains("relo::load::"), "{said:?}");
}
