//! Builds the pass that relo's rules are measured against.

use std::path::PathBuf;

fn main() {
    let prefix = PathBuf::from(std::env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    let dialect = std::env::var("DEP_RELOCDIALECT_INCLUDE").expect("relo-dialect says where its headers are");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .compiler(prefix.join("bin/clang++"))
        .flag("-fno-exceptions")
        .flag("-Wno-unused-parameter")
        .opt_level(2)
        .include(prefix.join("include"))
        .include("../dialect/cpp")
        .include(dialect)
        .file("cpp/Handwritten.cpp")
        .compile("relohandwritten");
    println!("cargo:rerun-if-changed=cpp");
}
