//! The reference interpreter does to real code what the compiled patterns do: same rewrites, same modules, same artifact.
//! Each input goes with its target's own choices and one more strategy; with all of them where `RELO_DIFFERENTIAL` is set.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{arg, corpus, folder};

const STRATEGIES: [&str; 6] = ["patch", "bake", "import", "table", "specialize", "defer"];

/// What a run prints and writes.
fn ran(input: &Path, flags: &[String], output: &Path) -> (Option<i32>, String, Option<Vec<u8>>) {
    let _ = std::fs::remove_file(output);
    let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
    command.args(["compile", arg(input), "--emit", "llvm", "-O0", "--trace", "-o", arg(output)]).args(flags);
    for phase in ["lift", "fold", "lower", "finish"] {
        command.args(["--print-after", phase]);
    }
    let run = command.output().expect("the command is built");
    let said = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (run.status.code(), said, std::fs::read(output).ok())
}

#[test]
fn corpora_come_out_the_same() {
    let folder = folder();
    let output = folder.path().join("out.ll");
    let mut inputs: Vec<(PathBuf, &str)> = Vec::new();
    for place in ["clang", "device", "numba/session-a", "numba/session-b", "julia/baked", "julia/image"] {
        for entry in std::fs::read_dir(corpus(place)).expect("it is there").flatten() {
            let target = match entry.path().to_string_lossy() {
                name if name.contains("nvptx") => "cuda",
                name if name.contains("amdgcn") => "amdgpu",
                name if name.contains("spirv") => "opencl",
                _ => "x86_64-linux",
            };
            if entry.path().extension().is_some_and(|extension| extension == "ll" || extension == "bc") {
                inputs.push((entry.path(), target));
            }
        }
    }
    inputs.sort();
    assert!(inputs.len() > 50);
    let all = std::env::var_os("RELO_DIFFERENTIAL").is_some();
    let mut fired = 0;
    for (index, (input, target)) in inputs.iter().enumerate() {
        let table = PathBuf::from(format!("{}.session.json", input.with_extension("").display()));
        let mut flags = vec!["--target".to_owned(), (*target).to_owned()];
        if table.exists() {
            flags.extend(["--session".to_owned(), arg(&table).to_owned()]);
        } else {
            flags.extend(["--use", "clang", "--set", "clang.words=.*"].map(str::to_owned));
        }
        let chosen = STRATEGIES.iter().enumerate().filter(|(at, _)| all || index % STRATEGIES.len() == *at);
        for strategy in std::iter::once(None).chain(chosen.map(|(_, name)| Some(*name))) {
            let mut flags = flags.clone();
            flags.extend(strategy.into_iter().flat_map(|name| ["--strategy".to_owned(), name.to_owned()]));
            let patterned = ran(input, &flags, &output);
            flags.push("--interpret".to_owned());
            assert_eq!(patterned, ran(input, &flags, &output), "{} {flags:?}", input.display());
            fired += usize::from(patterned.1.contains(" on "));
        }
    }
    assert!(fired > 60, "rules have fired on {fired} of them only");
}
