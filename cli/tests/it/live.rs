//! Code of an earlier Julia in a live one, which resolves its objects: `make test-julia` unpacks that Julia.

use std::process::Command;

use relo_testkit::root;

use crate::support::{arg, corpus, folder, relo_ok, run};

#[test]
fn functions_of_an_earlier_julia_do_what_this_one_does() {
    let julia = root().join("target/julia/root/usr");
    if !root().join("target/julia/.done").exists() {
        println!("skipped: `make test-julia` unpacks the Julia that this runs in");
        return;
    }
    let folder = folder();
    let prefix = folder.path().join("prefix");
    run(Command::new(root().join("scripts/install-capi.sh")).arg(&prefix).args(["--profile", "dev"]));
    for strategy in ["patch", "import", "table"] {
        let artifacts = folder.path().join(strategy);
        std::fs::create_dir(&artifacts).expect("made");
        for file in std::fs::read_dir(corpus("julia/baked")).expect("the corpus") {
            let name = file.expect("a file").file_name().into_string().expect("UTF-8");
            // What Julia's optimiser has not lowered yet can't run.
            let Some(name) = name.strip_suffix(".opt.bc") else { continue };
            let input = corpus(&format!("julia/baked/{name}.opt.bc"));
            let session = corpus(&format!("julia/baked/{name}.opt.session.json"));
            let output = artifacts.join(format!("{name}.so"));
            let mut arguments = vec!["compile", arg(&input), "--session", arg(&session), "--use", "julia"];
            arguments.extend(["-t", "x86_64-linux", "--strategy", strategy, "-o", arg(&output)]);
            relo_ok(&arguments);
        }
        let mut command = Command::new(julia.join("bin/julia"));
        command.args(["--startup-file=no", "--history-file=no"]);
        command.arg(root().join("examples/julia/live.jl")).arg(&artifacts);
        command.env("LD_LIBRARY_PATH", julia.join("lib/x86_64-linux-gnu"));
        command.env("RELO_LIBRARY", prefix.join("lib/librelo.so"));
        assert_eq!(run(&mut command), "31 calls of 13 functions agree\n", "{strategy}");
    }
}
