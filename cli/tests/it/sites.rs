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

/// A function that nothing calls leaves constants with the words' addresses, which nothing uses either.
#[test]
fn what_a_dropped_function_used_is_in_neither() {
    let folder = folder();
    let (input, out) = (folder.path().join("in.ll"), folder.path().join("out.ptx"));
    let module = "target triple = \"nvptx64-nvidia-cuda\"
         @rt_word = external addrspace(1) global i64
         @rt_other = external addrspace(1) global i64
         define internal i64 @dead() {
           %1 = load i64, ptr addrspace(1) @rt_word
           %2 = load i64, ptr addrspace(1) @rt_other
           %3 = add i64 %1, %2
           ret i64 %3
         }
         define ptx_kernel void @k() {
           ret void
         }";
    std::fs::write(&input, module).expect("written");
    for strategy in ["table", "patch", "import"] {
        let words = ["--use", "clang", "--set", "clang.words=^rt_", "--strategy", strategy, "-O0"];
        relo_ok(
            &[&["compile", arg(&input), "--target", "cuda", "--entry", "k", "-o", arg(&out)], &words[..]]
                .concat(),
        );
        assert_eq!(manifest(&out)["sites"].as_array().map(Vec::len), Some(0), "{strategy}");
        let text = std::fs::read_to_string(&out).expect("written");
        assert!(!text.contains("relo_"), "{strategy}: {text}");
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

/// MLIR says nothing of layouts by itself: the target does, before a rule looks at a type.
#[test]
fn mlir_without_a_layout_has_the_targets() {
    const PAIR: &str = "
llvm.mlir.global external @pair() : !llvm.struct<(i32, i64)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i32, i64)>
  %1 = llvm.mlir.constant(7 : i32) : i32
  %2 = llvm.mlir.constant(140737488289792 : i64) : i64
  %3 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i32, i64)>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.struct<(i32, i64)>
  llvm.return %4 : !llvm.struct<(i32, i64)>
}
";
    const SESSION: &str = r#"{"entries": [{"address": "0x7fffffff0000", "target": {"object": {"runtime": "rt", "key": "box"}}}]}"#;
    let folder = folder();
    let [input, session, output] =
        ["pair.mlir", "session.json", "pair.ll"].map(|name| folder.path().join(name));
    std::fs::write(&input, PAIR).expect("written");
    std::fs::write(&session, SESSION).expect("written");
    let (input, session) = (arg(&input), arg(&session));
    let arguments = [
        "compile",
        input,
        "--session",
        session,
        "--target",
        "x86_64-linux",
        "--emit",
        "llvm",
        "-o",
        arg(&output),
    ];
    relo_ok(&arguments);
    assert_eq!(manifest(&output)["sites"][0]["offset"], 8);
}
