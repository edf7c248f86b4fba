//! Debian has MLIR as a shared library, but its C API as static ones only: they are gathered into the archive
//! that mlir-sys asks the linker for.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes `libMLIR-C.a` of `libMLIRCAPI*.a`.
pub(crate) fn archive(prefix: &Path, out: &Path) {
    if std::env::var("MLIR_SYS_LINK_SHARED").as_deref() != Ok("1") {
        return;
    }
    let mut parts: Vec<_> = std::fs::read_dir(prefix.join("lib"))
        .expect("the library folder was checked")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("libMLIRCAPI") && name.ends_with(".a")
        })
        .collect();
    parts.sort();
    let archive = out.join("libMLIR-C.a");
    let _ = std::fs::remove_file(&archive);
    let mut script = format!("create {}\n", archive.display());
    for part in parts {
        script.push_str(&format!("addlib {}\n", part.display()));
    }
    script.push_str("save\nend\n");
    let mut child = Command::new(prefix.join("bin/llvm-ar"))
        .arg("-M")
        .stdin(Stdio::piped())
        .spawn()
        .expect("llvm-ar comes with llvm-22");
    child.stdin.take().expect("it is piped").write_all(script.as_bytes()).expect("llvm-ar reads its script");
    assert!(child.wait().is_ok_and(|status| status.success()), "llvm-ar failed");
    println!("cargo:rustc-link-search=native={}", out.display());
}
