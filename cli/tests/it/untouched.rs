//! What no rule touches comes out as it went in.

use std::path::{Path, PathBuf};
use std::process::Command;

use relo_testkit::root;

use crate::support::{arg, corpus, folder, llvm, relo_ok, run};

/// Compiles to LLVM IR without optimising, and compares: `llvm-diff` the code, the text the rest.
fn comes_out_equal(input: &Path, target: &str, folder: &Path) {
    let output = folder.join("out.ll");
    relo_ok(&["compile", arg(input), "--target", target, "--emit", "llvm", "-O0", "-o", arg(&output)]);
    run(Command::new(llvm("llvm-diff")).args([arg(input), arg(&output)]));
    let before = text(input, folder);
    let after = text(&output, folder);
    assert_eq!(before, after, "{}", input.display());
}

/// A module as LLVM prints it, without the name of its file.
fn text(module: &Path, folder: &Path) -> String {
    let printed = folder.join("printed.ll");
    run(Command::new(llvm("opt")).args(["-S", "-passes=", "-o", arg(&printed), arg(module)]));
    let text = std::fs::read_to_string(&printed).expect("written");
    text.lines().filter(|line| !line.starts_with("; ModuleID")).collect::<Vec<_>>().join("\n")
}

#[test]
fn modules_of_the_corpus() {
    let folder = folder();
    let mut inputs: Vec<(PathBuf, &str)> = vec![
        (corpus("clang/host_runtime.ll"), "x86_64-linux"),
        (corpus("device/tag_kernel.nvptx64.ll"), "cuda"),
    ];
    for place in ["numba/session-a", "julia/baked", "julia/image"] {
        for entry in std::fs::read_dir(corpus(place)).expect("it is there").flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "ll" || extension == "bc") {
                inputs.push((entry.path(), "x86_64-linux"));
            }
        }
    }
    assert!(inputs.len() > 40);
    for (input, target) in inputs {
        comes_out_equal(&input, target, folder.path());
    }
}

#[test]
fn clang_and_rustc() {
    let folder = folder();
    let data = root().join("cli/tests/data");
    for (source, compiler) in [("plain.c", "clang"), ("throws.cpp", "clang++")] {
        for flags in [vec!["-O0"], vec!["-O2"], vec!["-O2", "-g"]] {
            let input = folder.path().join("in.ll");
            let mut command = Command::new(llvm(compiler));
            command
                .args(&flags)
                .args(["-S", "-emit-llvm", "-fPIC", "-o", arg(&input)])
                .arg(data.join(source));
            run(&mut command);
            comes_out_equal(&input, "x86_64-linux", folder.path());
        }
    }
    let input = folder.path().join("rust.ll");
    let mut command = Command::new("rustc");
    command.args(["--edition=2021", "--crate-type=lib", "-O", "-g", "--emit=llvm-ir", "-o", arg(&input)]);
    command.arg(data.join("plain.rs"));
    run(&mut command);
    comes_out_equal(&input, "x86_64-linux", folder.path());
}
