//! Every file of the corpus compiles, under every strategy whose artifacts are valid elsewhere.

use std::path::{Path, PathBuf};

use crate::support::{arg, corpus, folder, manifest, relo_ok};

/// Where its target's own loaders can do what they ask for.
const PORTABLE: [&str; 4] = ["patch", "import", "table", "defer"];

/// The files, with their targets.
fn inputs() -> Vec<(PathBuf, &'static str)> {
    let mut inputs = Vec::new();
    for place in ["clang", "device", "numba/session-a", "numba/session-b", "julia/baked", "julia/image"] {
        for entry in std::fs::read_dir(corpus(place)).expect("it is there").flatten() {
            let path = entry.path();
            if !path.extension().is_some_and(|extension| extension == "ll" || extension == "bc") {
                continue;
            }
            let target = match arg(&path) {
                name if name.contains("nvptx") => "cuda",
                name if name.contains("amdgcn") => "amdgpu",
                name if name.contains("spirv") => "opencl",
                _ => "x86_64-linux",
            };
            inputs.push((path, target));
        }
    }
    inputs.sort();
    inputs
}

fn compile(input: &Path, target: &str, strategy: &str, output: &Path) {
    let table = PathBuf::from(format!("{}.session.json", input.with_extension("").display()));
    let mut arguments = vec!["compile", arg(input), "-t", target, "--strategy", strategy, "-o", arg(output)];
    if strategy == "defer" {
        arguments.extend(["--emit", "llvm"]);
    }
    match table.exists() {
        true => arguments.extend(["--session", arg(&table)]),
        false => arguments.extend(["--use", "clang", "--set", "clang.words=^rt_"]),
    }
    relo_ok(&arguments);
}

/// Each file with one strategy; with all of them where `RELO_FULL` is set.
#[test]
fn every_file_compiles_under_every_portable_strategy() {
    let folder = folder();
    let output = folder.path().join("out");
    let all = std::env::var_os("RELO_FULL").is_some();
    let inputs = inputs();
    assert!(inputs.len() > 55, "{} files", inputs.len());
    for (index, (input, target)) in inputs.iter().enumerate() {
        // Nothing writes a word of a SPIR-V module that is loaded; its own way is its constants.
        let portable =
            PORTABLE.map(|name| if (*target, name) == ("opencl", "patch") { "specialize" } else { name });
        for (at, strategy) in portable.iter().enumerate() {
            if !all && index % portable.len() != at {
                continue;
            }
            compile(input, target, strategy, &output);
            let manifest = manifest(&output);
            assert_eq!(manifest["portable"], true, "{} {strategy}", input.display());
            let sites = manifest["sites"].as_array().expect("sites");
            assert!(sites.iter().all(|site| site["strategy"] == *strategy), "{} {strategy}", input.display());
        }
    }
}
