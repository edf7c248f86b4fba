//! PTX for NVIDIA's own assembler.

use std::process::Command;

use crate::support::{arg, corpus, folder, manifest, relo_ok, run};

/// NVIDIA's assembler, from its Python package: `make test` puts it there.
fn ptxas() -> std::path::PathBuf {
    let path = relo_testkit::root().join("target/tools/ptxas");
    assert!(path.exists(), "{} is missing: `make tools` installs it", path.display());
    path
}

#[test]
fn ptxas_keeps_every_site() {
    let folder = folder();
    let (ptx, cubin) = (folder.path().join("kernel.ptx"), folder.path().join("kernel.cubin"));
    let input = corpus("device/tag_kernel.nvptx64.ll");
    let words = ["--use", "clang", "--set", "clang.words=^rt_"];
    let mut arguments = vec!["compile", arg(&input), "--target", "cuda", "-o", arg(&ptx)];
    arguments.extend(words);
    relo_ok(&arguments);
    let text = std::fs::read_to_string(&ptx).expect("written");
    let manifest = manifest(&ptx);
    let sites = manifest["sites"].as_array().expect("sites");
    assert_eq!(sites.len(), 3);
    for site in sites {
        let symbol = site["symbol"].as_str().expect("a symbol");
        let line =
            text.lines().find(|line| line.contains(symbol) && line.contains(".global ")).expect("a variable");
        assert!(line.starts_with(".weak .global") || line.starts_with(".visible .global"), "{line}");
        assert!(line.contains(".align 8 .u64"), "{line}");
    }
    run(Command::new(ptxas()).args(["-arch=sm_80", "-Werror", arg(&ptx), "-o", arg(&cubin)]));
    let symbols =
        run(Command::new(crate::support::llvm("llvm-readelf")).args(["--symbols", "--wide", arg(&cubin)]));
    for site in sites {
        let symbol = site["symbol"].as_str().expect("a symbol");
        let line = symbols.lines().find(|line| line.ends_with(symbol)).expect("the cubin has the symbol");
        let size = line.split_whitespace().nth(2);
        assert_eq!(size, Some("8"), "{line}");
    }
}
