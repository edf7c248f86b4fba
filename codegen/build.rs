//! Builds the C++ that LLVM's C API lacks, and lld's ELF linker into it.

use std::path::PathBuf;

fn main() {
    let prefix = PathBuf::from(std::env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    if !prefix.join("lib/liblldELF.a").exists() {
        eprintln!("relo needs liblld-22-dev: install it with `apt-get install liblld-22-dev`.");
        std::process::exit(1);
    }
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .compiler(prefix.join("bin/clang++"))
        .flag("-fno-exceptions")
        .flag("-Wno-unused-parameter")
        .include(prefix.join("include"))
        .include("cpp")
        .files([
            "cpp/View.cpp",
            "cpp/Merge.cpp",
            "cpp/Erase.cpp",
            "cpp/Modules.cpp",
            "cpp/Link.cpp",
            "cpp/Machine.cpp",
            "cpp/Argument.cpp",
            "cpp/Confine.cpp",
        ])
        .compile("relocodegen");
    println!("cargo:rustc-link-search=native={}", prefix.join("lib").display());
    println!("cargo:rustc-link-lib=static=lldELF");
    println!("cargo:rustc-link-lib=static=lldCommon");
    println!("cargo:rustc-link-lib=z");
    println!("cargo:rustc-link-lib=zstd");
    // Linked statically, LLVM comes with MLIR's libraries.
    if std::env::var("MLIR_SYS_LINK_SHARED").as_deref() == Ok("1") {
        println!("cargo:rustc-link-lib=dylib=LLVM");
    }
    println!("cargo:rerun-if-env-changed=MLIR_SYS_LINK_SHARED");
    println!("cargo:rerun-if-changed=cpp");
}
