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

#[test]
fn cuda() {
    assert_eq!(
        referents("kernel.nvptx64.ll", "cuda"),
        [r#"{"object":{"runtime":"toy","key":"type_float"}}"#, SMALL_TYPE]
    );
}

#[test]
fn opencl() {
    assert_eq!(referents("kernel.spirv64.ll", "opencl"), [TYPE_FLOAT, SMALL_TYPE]);
}
