//! Builds the dialect: tables from ODS, then the C++ that ODS can't say.

#[path = "build/missing.rs"]
mod missing;
#[path = "build/ods.rs"]
mod ods;
#[path = "build/shared.rs"]
mod shared;
#[path = "build/tablegen.rs"]
mod tablegen;

use std::path::PathBuf;

fn main() {
    let prefix = PathBuf::from(std::env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into()));
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    missing::check(&prefix);
    tablegen::run(&prefix, &out);
    ods::generate(&prefix, &out);
    shared::archive(&prefix, &out);
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        // TypeIDs of templated traits differ between compilers: the one that built MLIR has to build this.
        .compiler(prefix.join("bin/clang++"))
        .flag("-fno-exceptions")
        .flag("-Wno-unused-parameter")
        .include(prefix.join("include"))
        .include("cpp")
        .include(&out);
    if std::env::var("RELO_SANITIZE").as_deref() == Ok("address") {
        build.flag("-fsanitize=address").flag("-fno-omit-frame-pointer");
    }
    for file in [
        "Dialect",
        "Sites",
        "Attributes",
        "Layout",
        "Translation",
        "Driver",
        "Contents",
        "Initializers",
        "Properties",
    ] {
        build.file(format!("cpp/{file}.cpp"));
    }
    build.compile("relocdialect");
    println!("cargo:include={}", out.display());
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed=td");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-env-changed=RELO_SANITIZE");
}
