//! A host in C that embeds the loader, with threads, as it is and under sanitizers.

use std::path::{Path, PathBuf};
use std::process::Command;

use relo_testkit::root;

use crate::support::{arg, folder, llvm, relo_ok, run};

fn program(folder: &Path) -> PathBuf {
    let output = folder.join("program.so");
    let example = root().join("examples/embed");
    let (input, session) = (example.join("program.ll"), example.join("program.session.json"));
    let target = "x86_64-linux";
    relo_ok(&["compile", arg(&input), "--session", arg(&session), "--target", target, "-o", arg(&output)]);
    output
}

/// Installs the libraries as a user does.
fn install(prefix: &Path) {
    run(Command::new(root().join("scripts/install-capi.sh")).arg(prefix).args(["--profile", "dev"]));
}

/// What the pkg-config file says, for the shared or the static library.
fn flags(prefix: &Path, linked: &str) -> Vec<String> {
    let text = std::fs::read_to_string(prefix.join("lib/pkgconfig/relo.pc")).expect("it is installed");
    let value = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key)).expect("it says so");
        line.trim()
            .replace("${libdir}", arg(&prefix.join("lib")))
            .replace("${includedir}", arg(&prefix.join("include")))
    };
    let libs = match linked {
        "static" => value("Libs:").replace("-lrelo", "-l:librelo.a") + " " + &value("Libs.private:"),
        _ => value("Libs:"),
    };
    (value("Cflags:") + " " + &libs).split_whitespace().map(str::to_owned).collect()
}

fn build_and_run(compiler: &Path, options: &[&str], prefix: &Path, linked: &str, program: &Path) {
    let host = program.with_file_name("host");
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"]).args(options);
    command.arg(root().join("examples/embed/host.c")).args(flags(prefix, linked));
    run(command.args(["-lpthread", "-lm", "-o", arg(&host)]));
    let mut command = Command::new(&host);
    command.arg(program).env("LD_LIBRARY_PATH", prefix.join("lib"));
    command
        .env("TSAN_OPTIONS", "halt_on_error=1")
        .env("ASAN_OPTIONS", "detect_leaks=1:detect_stack_use_after_return=1");
    let said = run(&mut command);
    assert!(said.ends_with("200 sessions, and one that 8 threads shared\n"), "{said}");
}

#[test]
fn a_c_host_loads_and_calls_in_many_threads() {
    let folder = folder();
    let (program, prefix) = (program(folder.path()), folder.path().join("prefix"));
    install(&prefix);
    build_and_run(Path::new("cc"), &[], &prefix, "shared", &program);
    build_and_run(&llvm("clang"), &["-fsanitize=address,undefined"], &prefix, "static", &program);
}

/// The library is compiled for ThreadSanitizer too, which would not see its synchronisation otherwise.
#[test]
fn a_c_host_has_no_races() {
    let folder = folder();
    let (program, prefix) = (program(folder.path()), folder.path().join("prefix"));
    let machine = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut command = Command::new(root().join("scripts/install-capi.sh"));
    command.arg(&prefix).args(["--profile", "dev", "--target", &machine, "--target-dir"]);
    command.arg(root().join("target/thread"));
    // Sanitizers are not a stable option of the compiler yet.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer");
    run(&mut command);
    build_and_run(&llvm("clang"), &["-fsanitize=thread"], &prefix, "static", &program);
}
