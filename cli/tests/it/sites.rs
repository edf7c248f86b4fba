//! A site is in artifact and manifest as long as code uses it.

use std::process::Command;

use crate::support::{arg, folder, llvm, manifest, relo_ok, run};

const MODULE: &str = "
@rt_used = external global ptr
@rt_dropped = external global ptr
define ptr @used() {
  %1 = load ptr, ptr @rt_used
  ret ptr %1
}
define i32 @dropped() {
  %1 = load ptr, ptr @rt_dropped
  %2 = ptrtoint ptr %1 to i64
  %3 = and i64 %2, 0
  %4 = trunc i64 %3 to i32
  ret i32 %4
}
";

#[test]
fn what_optimisation_drops_is_in_neither() {
    let folder = folder();
    let input = folder.path().join("module.ll");
    std::fs::write(&input, MODULE).expect("written");
    for (level, names) in [("-O2", vec!["rt_used"]), ("-O0", vec!["rt_dropped", "rt_used"])] {
        let output = folder.path().join("module.so");
        let words = ["--use", "clang", "--set", "clang.words=^rt_"];
        let mut arguments =
            vec!["compile", arg(&input), "--target", "x86_64-linux", level, "-o", arg(&output)];
        arguments.extend(words);
        relo_ok(&arguments);
        let manifest = manifest(&output);
        let referents = manifest["referents"].as_array().expect("referents");
        let found: Vec<&str> =
            referents.iter().filter_map(|referent| referent["word"]["symbol"].as_str()).collect();
        assert_eq!(found, names, "{level}");
        let artifact = String::from_utf8_lossy(&std::fs::read(&output).expect("written")).into_owned();
        assert_eq!(artifact.contains("relo_rt_dropped"), names.contains(&"rt_dropped"), "{level}");
        assert!(artifact.contains("relo_rt_used"), "{level}");
    }
}

#[test]
fn mlir_comes_in_as_text_and_as_bytecode() {
    let folder = folder();
    let (llvm_ir, text, bytecode) =
        (folder.path().join("in.ll"), folder.path().join("in.mlir"), folder.path().join("in.mlirbc"));
    std::fs::write(&llvm_ir, MODULE).expect("written");
    run(Command::new(llvm("mlir-translate")).args(["--import-llvm", arg(&llvm_ir), "-o", arg(&text)]));
    run(Command::new(llvm("mlir-opt")).args(["--emit-bytecode", arg(&text), "-o", arg(&bytecode)]));
    let artifacts: Vec<Vec<u8>> = [&llvm_ir, &text, &bytecode]
        .map(|input| {
            let output = folder.path().join("module.so");
            let words = ["--use", "clang", "--set", "clang.words=^rt_"];
            let mut arguments = vec!["compile", arg(input), "--target", "x86_64-linux", "-o", arg(&output)];
            arguments.extend(words);
            relo_ok(&arguments);
            assert_eq!(manifest(&output)["sites"].as_array().map(Vec::len), Some(1));
            std::fs::read(&output).expect("written")
        })
        .to_vec();
    assert_eq!(artifacts[1], artifacts[2], "text and bytecode are the same module");
    assert_eq!(artifacts[0].len(), artifacts[1].len(), "and LLVM IR gives code like it");
}
