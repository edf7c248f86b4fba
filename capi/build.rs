//! Names the shared library after the version of its interface, for the dynamic linker.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,librelo.so.1");
}
