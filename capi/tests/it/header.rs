//! The header says what the library has.

use std::path::Path;
use std::process::Command;

/// `include/relo.h` is what cbindgen makes of the crate; `RELO_UPDATE=1` writes it.
#[test]
fn the_header_is_made_of_the_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_root_or_default(root);
    let bindings = cbindgen::generate_with_config(root, config).expect("it can be made");
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).expect("it is text");
    let path = root.join("include/relo.h");
    if std::env::var_os("RELO_UPDATE").is_some() {
        std::fs::write(&path, &made).expect("it can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, made, "run this test with RELO_UPDATE=1");
}

#[test]
fn c_and_cpp_read_it_without_a_warning() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    for (compiler, language, standard) in [("cc", "c", "c99"), ("c++", "c++", "c++11")] {
        let source = folder.path().join(language);
        std::fs::write(&source, "#include <relo.h>\nint main(void) { return relo_abi() != RELO_ABI; }\n")
            .expect("it can be written");
        let output = Command::new(compiler)
            .args(["-x", language, &format!("-std={standard}"), "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .args(["-fsyntax-only", "-I"])
            .args([&include, &source])
            .output()
            .expect("there is a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
