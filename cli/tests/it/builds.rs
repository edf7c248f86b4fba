//! `relo compile` as a step of a build: many inputs, dep files, nothing read or written but what is named, killed at any
//! moment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use relo_testkit::root;

use crate::support::{arg, corpus, folder, relo, relo_ok, run};

const MODULES: [&str; 4] = ["calls_cos", "calls_two", "raises", "reads_global_array"];

fn input(module: &str) -> [PathBuf; 2] {
    ["ll", "session.json"].map(|extension| corpus(&format!("numba/session-a/{module}.{extension}")))
}

/// The arguments that compile something to a place.
fn compile<'a>(what: &[&'a str], out: &'a Path) -> Vec<&'a str> {
    [&["compile", "-t", "x86_64-linux", "-o", arg(out)], what].concat()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("it is there")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn many_inputs_are_compiled_as_each_alone() {
    let folder = folder();
    let (alone, together) = (folder.path().join("alone"), folder.path().join("together"));
    std::fs::create_dir(&alone).expect("made");
    let inputs = MODULES.map(input);
    let mut arguments = compile(&["-j", "3"], &together);
    for ([text, session], module) in inputs.iter().zip(MODULES) {
        let output = alone.join(format!("{module}.so"));
        relo_ok(&compile(&[arg(text), "--session", arg(session)], &output));
        arguments.extend([arg(text), "--session", arg(session)]);
    }
    assert_eq!(relo_ok(&arguments), "");
    assert_eq!(names(&together), names(&alone));
    for name in names(&alone) {
        let read = |folder: &Path| std::fs::read(folder.join(&name)).expect("written");
        assert!(read(&alone) == read(&together), "{name}");
    }
}

/// The others are compiled all the same, and what is said comes in the order of the inputs.
#[test]
fn one_bad_input_of_many_is_told_of() {
    let folder = folder();
    let out = folder.path().join("out");
    let bad = ["first", "second"].map(|name| {
        let path = folder.path().join(format!("{name}.ll"));
        std::fs::write(&path, format!("define void @{name}( {{\n")).expect("written");
        path
    });
    let [good, _] = input("calls_cos");
    let depfile = folder.path().join("depfile");
    let what = [arg(&bad[0]), arg(&good), arg(&bad[1]), "--depfile", arg(&depfile)];
    let said = relo(&compile(&what, &out));
    let text = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(1), "{text}");
    assert!(text.find("first.ll").expect("told") < text.find("second.ll").expect("told"), "{text}");
    assert_eq!(names(&out), ["calls_cos.so", "calls_cos.so.reloc.json"]);
    assert!(!depfile.exists(), "a build that failed has none");
}

#[test]
fn outputs_that_would_be_one_file_are_refused() {
    let folder = folder();
    let [text, session] = input("calls_cos");
    let other = corpus("numba/session-b/calls_cos.ll");
    let out = folder.path().join("out");
    let refused = |more: &[&str], part: &str| {
        let said = relo(&compile(&[&[arg(&text)], more].concat(), &out));
        let said = (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned());
        assert!(said.0 == Some(1) && said.1.contains(part) && !out.exists(), "{said:?}");
    };
    refused(&[arg(&other)], "would both become");
    refused(&["--session", arg(&session), "--session", arg(&session)], "2 session tables for 1 inputs");
    // A device, or whatever else is no file, is not replaced by one.
    let pipe = folder.path().join("pipe");
    run(Command::new("mkfifo").arg(&pipe));
    let said = relo(&compile(&[arg(&text)], &pipe));
    assert!(String::from_utf8_lossy(&said.stderr).contains("something else than a file"), "{said:?}");
}

#[test]
fn a_dep_file_names_all_that_was_read() {
    let folder = folder();
    let rules = folder.path().join("my $rules #1");
    run(Command::new("cp").arg("-r").arg(root().join("examples/builds/mine")).arg(&rules));
    let [text, session] = input("calls_cos");
    let (out, depfile) = (folder.path().join("out.so"), folder.path().join("out.d"));
    let what = [arg(&text), "--session", arg(&session), "--rules", arg(&rules), "--depfile", arg(&depfile)];
    relo_ok(&compile(&what, &out));
    let made = std::fs::read_to_string(&depfile).expect("written");
    let made = made.replace(arg(folder.path()), "FOLDER").replace(arg(&root()), "ROOT");
    let rules = "FOLDER/my\\ $$rules\\ \\#1";
    let corpus = "ROOT/examples/corpus/numba/session-a/calls_cos";
    assert_eq!(
        made,
        format!(
            "FOLDER/out.so FOLDER/out.so.reloc.json: {corpus}.ll \\\n  {corpus}.session.json \\\n  \
             {rules}/pack.yaml \\\n  {rules}/lift.relo\n"
        )
    );
    // Make reads it as it is meant.
    let makefile = folder.path().join("Makefile");
    std::fs::write(&makefile, format!("{}:\n\t@echo again\ninclude {}\n", arg(&out), arg(&depfile)))
        .expect("written");
    let make = |files: &str| run(Command::new("make").args(["-s", "-f", arg(&makefile), files]));
    assert_eq!(make(arg(&out)), "");
    let rule = folder.path().join("my $rules #1/lift.relo");
    let later = std::time::SystemTime::now() + Duration::from_secs(5);
    std::fs::File::options()
        .append(true)
        .open(rule)
        .and_then(|file| file.set_modified(later))
        .expect("touched");
    assert_eq!(make(arg(&out)), "again\n");
}

#[test]
fn ninja_compiles_what_has_changed() {
    let folder = folder();
    let mut command = Command::new(root().join("examples/builds/ninja.sh"));
    let said = run(command.arg(folder.path()).env("RELO", env!("CARGO_BIN_EXE_relo")));
    assert_eq!(
        said,
        "the first time:\n  relo count.so\n  relo third.so\nnothing has changed:\na session table has changed:\n  \
         relo count.so\na rule has changed:\n  relo count.so\n  relo third.so\n"
    );
}

/// Its sandbox shows what is read without having been declared. Where there is no Bazel, this says so.
#[test]
fn bazel_compiles_in_its_sandbox() {
    if Command::new("bazel").arg("--version").output().is_err() {
        println!("there is no bazel here");
        return;
    }
    let folder = folder();
    let mut command = Command::new(root().join("examples/builds/bazel.sh"));
    let said = run(command.arg(folder.path()).env("RELO", env!("CARGO_BIN_EXE_relo")));
    assert_eq!(said, "count.so\ncount.so.reloc.json\nthird.so\nthird.so.reloc.json\n");
    run(Command::new("chmod").args(["-R", "u+w"]).arg(folder.path()));
}

/// Another folder, another environment, another time: the same bytes.
#[test]
fn where_and_when_it_is_compiled_makes_no_difference() {
    let folder = folder();
    let made = ["here", "elsewhere/deeper"].map(|name| {
        let place = folder.path().join(name);
        std::fs::create_dir_all(&place).expect("made");
        for (path, name) in input("calls_two").iter().zip(["in.ll", "in.json"]) {
            std::fs::copy(path, place.join(name)).expect("copied");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
        command.current_dir(&place).args(["compile", "in.ll", "--session", "in.json", "-o", "out.so"]);
        command.args(["-t", "x86_64-linux"]);
        if name.contains("elsewhere") {
            command.env_clear().env("TZ", "Asia/Tokyo").env("LANG", "de_DE.UTF-8").env("HOME", "/nowhere");
        }
        run(&mut command);
        ["out.so", "out.so.reloc.json"].map(|name| std::fs::read(place.join(name)).expect("written"))
    });
    assert!(made[0] == made[1]);
}

/// Artifact and manifest belong together, or there is no artifact. RELO_FULL=1 kills more.
#[test]
fn a_killed_compile_leaves_a_pair_or_no_artifact() {
    let folder = folder();
    let out = folder.path().join("out.so");
    let cache = format!("--cache={}", arg(&folder.path().join("cache")));
    let [text, session] = input("calls_two");
    let start = |level: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_relo"));
        command.args(compile(&[arg(&text), "--session", arg(&session), &cache, level], &out));
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().expect("it runs")
    };
    // Both artifacts are in the cache: most of the time goes to writing.
    let mut takes = Duration::MAX;
    for level in ["-O0", "-O2", "-O0"] {
        let begun = Instant::now();
        assert!(start(level).wait().expect("it ends").success());
        takes = takes.min(begun.elapsed());
    }
    let (mut pairs, mut killed) = (0, 0u32);
    let rounds = if std::env::var_os("RELO_FULL").is_some() { 60 } else { 12 };
    for number in 0..rounds {
        let mut child = start(["-O0", "-O2"][number as usize % 2]);
        std::thread::sleep(takes * (30 + number * 37 % 80) / 100);
        let _ = child.kill();
        killed += u32::from(!child.wait_with_output().expect("all of it has ended").status.success());
        if out.exists() {
            relo_ok(&["inspect", arg(&out)]);
            pairs += 1;
        }
    }
    assert!(pairs > 0 && killed > 0, "{killed} were killed, {pairs} had an artifact");
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = folder();
    let out = folder.path().join("out.o");
    let [text, session] = input("calls_two");
    let arguments = compile(&[arg(&text), "--session", arg(&session), "--emit", "object"], &out);
    relo_ok(&arguments);
    let (before, bytes) = (names(folder.path()), std::fs::read(&out).expect("written"));
    // A limit for files' sizes fails a write half-way, as a full disk does.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 1; trap '' XFSZ; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_relo")]);
    let said = command.args(arguments).arg("-O0").output().expect("it runs");
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(String::from_utf8_lossy(&said.stderr).contains("relo::cli::write"), "{said:?}");
    assert_eq!(names(folder.path()), before);
    assert!(std::fs::read(&out).expect("it is there") == bytes);
}

#[test]
fn an_artifact_beside_another_s_manifest_is_refused() {
    let folder = folder();
    let out = folder.path().join("out.so");
    let [text, _] = input("calls_cos");
    relo_ok(&compile(&[arg(&text)], &out));
    let mut bytes = std::fs::read(&out).expect("written");
    *bytes.last_mut().expect("it has bytes") ^= 1;
    std::fs::write(&out, bytes).expect("written");
    for path in [arg(&out).to_owned(), format!("{}.reloc.json", arg(&out))] {
        let said = relo(&["inspect", &path]);
        assert!(String::from_utf8_lossy(&said.stderr).contains("relo::load::hash"), "{said:?}");
    }
    std::fs::remove_file(&out).expect("removed");
    relo_ok(&["inspect", &format!("{}.reloc.json", arg(&out))]);
}
