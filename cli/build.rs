//! Tells builds of relo apart: what the cache keeps is one build's.

use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new("..");
    let mut files = Vec::new();
    for name in ["referent", "grammar", "engine", "dialect", "codegen", "loader", "cli"] {
        for part in ["src", "cpp", "td", "build"] {
            collect(&root.join(name).join(part), &mut files);
        }
    }
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        hasher.update(file.as_os_str().as_encoded_bytes());
        hasher.update(&std::fs::read(file).unwrap_or_default());
    }
    println!("cargo:rustc-env=RELO_BUILD={}", hasher.finalize().to_hex());
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
