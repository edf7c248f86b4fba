//! The Python package: built as users build it, and tried in Python.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use relo_testkit::root;

use crate::support::{arg, folder, run, tool};

/// Where the package is installed. It is built once a run, with the command that is tested.
fn site() -> &'static Path {
    static SITE: OnceLock<PathBuf> = OnceLock::new();
    SITE.get_or_init(|| {
        let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
        if site.exists() {
            std::fs::remove_dir_all(&site).expect("an earlier run's");
        }
        let mut pip = Command::new(tool("python/bin/pip"));
        pip.args([
            "install",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
        ]);
        pip.args(["--config-settings", "profile=dev", "--config-settings"]);
        pip.arg(format!("command={}", env!("CARGO_BIN_EXE_relo")));
        run(pip.args(["--target", arg(&site), arg(&root().join("python"))]).env("PATH", path()));
        site
    })
}

/// Where programs are, those of the virtual environment before others.
fn path() -> std::ffi::OsString {
    let own = tool("python/bin");
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&others)))
        .expect("paths without colons")
}

/// An interpreter that has the package.
pub fn python() -> Command {
    let mut command = Command::new(tool("python/bin/python"));
    command.env("PYTHONPATH", site()).env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

#[test]
fn the_package_does_what_it_says() {
    let tests = root().join("python/tests");
    run(python().args(["-m", "unittest", "discover", "--quiet", "--start-directory", arg(&tests)]));
}

#[test]
fn its_types_are_right() {
    let mut command = python();
    command.args(["-m", "mypy", "--strict", "--package", "relo"]).current_dir(site());
    command.args(["--cache-dir", arg(&site().join(".mypy"))]);
    run(&mut command);
    // A user's checker takes the types from the installed package, too.
    let mut command = python();
    command.args(["-m", "mypy", "--strict", "test_relo.py", "--cache-dir", arg(&site().join(".mypy"))]);
    run(command.current_dir(root().join("python/tests")).env("MYPYPATH", site()));
}

/// Runs `examples/numba` in a process of its own; what it prints, and Numba's warnings.
fn numba(folder: &Path) -> (String, String) {
    let mut command = python();
    command.arg(root().join("examples/numba/program.py")).arg(folder);
    let output = command.output().expect("Python runs");
    let [said, warned] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{said}{warned}");
    (said, warned)
}

/// The number behind a text.
fn seconds(said: &str, before: &str) -> f64 {
    let rest = said.split_once(before).expect("it says how long").1;
    rest.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn what_numba_cannot_cache_is_loaded_by_the_next_process() {
    let folder = folder();
    let (first, warned) = numba(folder.path());
    // Numba says itself that it does not keep the function.
    assert!(
        warned.contains("Cannot cache compiled function") && warned.contains("dynamic globals"),
        "{warned}"
    );
    assert!(first.contains("compiled and loaded") && first.contains("numba was imported"), "{first}");
    let (second, warned) = numba(folder.path());
    assert!(!second.contains("compiled") && second.contains("numba was not imported"), "{second}");
    assert_eq!(warned, "");
    let (compiled, loaded) = (seconds(&first, "Numba compiled it in "), seconds(&second, "the load took "));
    assert!(loaded * 10.0 < compiled, "{loaded} s to load what Numba compiled in {compiled} s");
    let value =
        |said: &str| said.split_once("value ").expect("it says so").1.lines().next().map(str::to_owned);
    assert_eq!(value(&first), value(&second));
}
