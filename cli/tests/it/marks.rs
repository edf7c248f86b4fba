//! What real compilers make of sources that mark their host references: C++, Rust, CUDA and OpenCL.

use crate::support::{arg, corpus, folder, manifest, relo_ok};

/// The referents of what a file of the corpus becomes, each as the manifest spells it.
fn referents(file: &str, target: &str) -> Vec<String> {
    let folder = folder();
    let (input, out) = (corpus(&format!("marks/{file}")), folder.path().join("out"));
    let words = ["--use", "clang", "--set", "clang.words=^rt_", "--set", "clang.library=librt.so"];
    relo_ok(&[&["compile", arg(&input), "-t", target, "-o", arg(&out)], &words[..]].concat());
    let manifest = manifest(&out);
    assert_eq!(manifest["portable"], true, "{file}");
    let all = manifest["referents"].as_array().expect("referents");
    assert_eq!(manifest["sites"].as_array().expect("sites").len(), all.len(), "{file}");
    let mut all: Vec<String> = all.iter().map(ToString::to_string).collect();
    all.sort();
    all
}

const TYPE_FLOAT: &str = r#"{"object":{"runtime":"toy","key":"type float"}}"#;
const SMALL_TYPE: &str = r#"{"word":{"symbol":"rt_small_typeof","library":"librt.so","offset":8}}"#;

/// An inline variable is in a group of its own name, a specialised member has one definition, a declaration has a section.
#[test]
fn cpp() {
    assert_eq!(
        referents("objects.cpp.ll", "x86_64-linux"),
        [
            r#"{"object":{"runtime":"toy","key":"counter"}}"#,
            r#"{"object":{"runtime":"toy","key":"none"}}"#,
            TYPE_FLOAT,
            r#"{"symbol":{"name":"rt_alloc","library":"librt.so"}}"#,
        ]
    );
}

#[test]
fn rust() {
    assert_eq!(
        referents("objects.rs.ll", "x86_64-linux"),
        [
            r#"{"object":{"runtime":"toy","key":"none"}}"#,
            r#"{"word":{"symbol":"rt_counter","library":"librt.so"}}"#,
            r#"{"word":{"symbol":"rt_table","library":"librt.so","offset":16}}"#,
        ]
    );
}

/// A variable that the source defines is in the list of those that clang wants kept.
#[test]
fn cuda() {
    assert_eq!(
        referents("kernel.nvptx64.ll", "cuda"),
        [
            r#"{"object":{"runtime":"toy","key":"none"}}"#,
            r#"{"object":{"runtime":"toy","key":"type_float"}}"#,
            SMALL_TYPE
        ]
    );
}

/// Nothing is left of what only lists of what is to be kept refer to, nor of the lists; they keep the others.
#[test]
fn kept() {
    let folder = folder();
    let [input, out] = ["in.ll", "out.ll"].map(|name| folder.path().join(name));
    let annotated = "@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] \
         [{ ptr, ptr, ptr, i32, ptr } { ptr @a, ptr @mark, ptr @file, i32 1, ptr null }], section \"llvm.metadata\"
         @mark = private constant [19 x i8] c\"reloc:object:toy:a\\00\", section \"llvm.metadata\"
         @file = private constant [4 x i8] c\"a.c\\00\", section \"llvm.metadata\"";
    let module = format!(
        "target triple = \"x86_64-unknown-linux-gnu\"
         @a = global ptr null
         @mine = internal global i64 7
         @llvm.used = appending global [2 x ptr] [ptr @a, ptr @mine], section \"llvm.metadata\"
         @llvm.compiler.used = appending global [1 x ptr] [ptr @a], section \"llvm.metadata\"
         {annotated}
         define ptr @f() {{
           %w = load ptr, ptr @a
           ret ptr %w
         }}"
    );
    std::fs::write(&input, module).expect("written");
    relo_ok(&[
        "compile",
        arg(&input),
        "-t",
        "x86_64-linux",
        "--use",
        "clang",
        "--emit",
        "llvm",
        "-o",
        arg(&out),
    ]);
    let text = std::fs::read_to_string(&out).expect("written");
    let used = "@llvm.used = appending global [1 x ptr] [ptr @mine], section \"llvm.metadata\"";
    assert!(text.contains(used), "{text}");
    for gone in ["@a =", "@llvm.compiler.used", "@llvm.global.annotations"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
}

#[test]
fn opencl() {
    assert_eq!(referents("kernel.spirv64.ll", "opencl"), [TYPE_FLOAT, SMALL_TYPE]);
}
