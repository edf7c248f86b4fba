//! Links LLVM, which lies where the other crates find it.

fn main() {
    let prefix = std::env::var("LLVM_SYS_221_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    println!("cargo:rustc-link-search=native={prefix}/lib");
    println!("cargo:rustc-link-lib=dylib=LLVM");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
}
