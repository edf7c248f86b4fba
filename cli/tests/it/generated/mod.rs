//! Generated code: whatever delivers its words, and wherever it runs, it computes the same.
//!
//! A program is a tree that is written as LLVM IR for any target, and interpreted here. `RELO_MODULES` sets how many are
//! tried.

mod program;
mod session;
mod writing;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use relo_trial::parallel;

use crate::machines::{Call, Machine, words};
use crate::opencl_device::{Job, Place, describe, run_kernels};
use crate::support::{Site, arg, folder, manifest, relo, relo_ok, run, sites_of};
pub use program::{Program, programs};
pub use session::Session;
pub use writing::Words;

/// What a kernel is given.
const PARAMETERS: [u64; 2] = [3, 0x8000_0000_0000_0001];

/// Programs that a process of a machine is given together.
const TOGETHER: usize = 100;

const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// What every compilation of a program is told.
pub struct Setting {
    pub session: PathBuf,
    pub library: PathBuf,
}

impl Setting {
    pub fn new(folder: &Path) -> Self {
        let compiling = Session::new(0);
        Self { session: compiling.table(folder), library: compiling.library(folder) }
    }

    pub fn options(&self) -> Vec<&str> {
        let mut options = vec!["--use", "clang", "--set", "clang.words=^rt_", "--load", arg(&self.library)];
        options.extend(["--session", arg(&self.session)]);
        options
    }

    fn compile(&self, input: &Path, target: &str, options: &[&str], out: &Path) {
        let mut arguments = vec!["compile", arg(input), "--target", target, "--entry", "k", "-o", arg(out)];
        arguments.extend(options);
        arguments.extend(self.options());
        relo_ok(&arguments);
    }
}

/// What comes of each item, of which as many are worked on at a time as there are processors.
pub fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let numbered: Vec<(usize, &T)> = items.iter().enumerate().collect();
    parallel(&numbered, threads, || (), |(), (number, item)| work(*number, item))
}

/// A call, what it must give, and what to tell where it does not.
#[derive(Clone)]
struct Expected<C> {
    call: C,
    results: Vec<u64>,
    told: String,
}

fn check<C>(expected: &[Expected<C>], got: Vec<Result<Vec<u64>, String>>) {
    assert_eq!(expected.len(), got.len());
    for (expected, got) in expected.iter().zip(got) {
        assert_eq!(got.as_ref(), Ok(&expected.results), "{}", expected.told);
    }
}

#[test]
fn all_strategies_compute_the_same_on_every_machine() {
    let folder = folder();
    let setting = Setting::new(folder.path());
    let machines = Machine::all();
    for (group, programs) in programs(6).chunks(TOGETHER).enumerate() {
        let place = folder.path().join(group.to_string());
        std::fs::create_dir(&place).expect("made");
        for machine in &machines {
            let made = each(programs, |number, program| native(program, number, *machine, &setting, &place));
            let expected = made.concat();
            let calls: Vec<Call> = expected.iter().map(|expected| expected.call.clone()).collect();
            check(&expected, machine.run(&calls));
        }
        std::fs::remove_dir_all(&place).expect("it is ours");
    }
}

/// A program for a machine, under each strategy, in two sessions where the strategy allows it.
fn native(
    program: &Program,
    number: usize,
    machine: Machine,
    setting: &Setting,
    folder: &Path,
) -> Vec<Expected<Call>> {
    let path = |name: &str| folder.join(format!("{number}.{}.{name}", machine.target));
    let input = path("ll");
    let words_of = Words { triple: machine.triple, kernel: "", function: "", space: "" };
    let text = program.llvm(&words_of);
    std::fs::write(&input, &text).expect("written");
    let mut expected = Vec::new();
    for (index, strategy) in ["patch", "import", "table", "bake", "defer"].into_iter().enumerate() {
        if strategy == "table" && program.has_places() {
            continue;
        }
        let level = LEVELS[(number + index) % 2];
        let out = path(strategy);
        if strategy == "defer" {
            // Left to a compilation that knows neither pack nor session table.
            let deferred = path("deferred.ll");
            let options = ["--strategy", "defer", "--emit", "llvm", level];
            setting.compile(&input, machine.target, &options, &deferred);
            let mut arguments = vec!["compile", arg(&deferred), "--target", machine.target, "--entry", "k"];
            arguments.extend([level, "-o", arg(&out)]);
            relo_ok(&arguments);
        } else {
            setting.compile(&input, machine.target, &["--strategy", strategy, level], &out);
        }
        let manifest = manifest(&out);
        let sites = sites_of(&manifest);
        assert!(strategy != "bake" || sites.is_empty(), "{sites:?}");
        assert!(strategy == "bake" || manifest["portable"] == true, "{strategy} {level}\n{text}");
        for session in if strategy == "bake" { vec![0] } else { vec![0, 1] } {
            let session = Session::new(session);
            let call = Call {
                artifact: out.clone(),
                words: words(&manifest, |referent| session.referent(referent)),
                entry: "k".into(),
                arguments: PARAMETERS.to_vec(),
                results: program.kernel.len(),
            };
            let told = format!("{} {strategy} {level}\n{text}", machine.target);
            expected.push(Expected { call, results: program.results(&session, PARAMETERS), told });
        }
    }
    expected
}

/// OpenCL's device is this processor.
#[test]
fn all_strategies_compute_the_same_on_a_device() {
    let folder = folder();
    let setting = Setting::new(folder.path());
    for (group, programs) in programs(4).chunks(TOGETHER).enumerate() {
        let place = folder.path().join(group.to_string());
        std::fs::create_dir(&place).expect("made");
        let made = each(programs, |number, program| device(program, number, &setting, &place));
        let expected = made.concat();
        let jobs: Vec<Job> = expected.iter().map(|expected| expected.call.clone()).collect();
        check(&expected, run_kernels(&jobs));
        std::fs::remove_dir_all(&place).expect("it is ours");
    }
}

/// A program for OpenCL, under each strategy that can.
fn device(program: &Program, number: usize, setting: &Setting, folder: &Path) -> Vec<Expected<Job>> {
    let input = folder.join(format!("{number}.ll"));
    let words_of = Words {
        triple: "spirv64-unknown-unknown",
        kernel: "spir_kernel",
        function: "spir_func",
        space: " addrspace(1)",
    };
    let text = program.llvm(&words_of);
    std::fs::write(&input, &text).expect("written");
    let mut expected = Vec::new();
    for (index, strategy) in ["specialize", "table", "bake", "import"].into_iter().enumerate() {
        let (records, places) = (!program.records().is_empty(), program.has_places());
        let can = match strategy {
            "bake" => true,
            "import" => !records,
            _ => !records && !places,
        };
        let out = folder.join(format!("{number}.{strategy}.spv"));
        let level = LEVELS[(number + index) % 2];
        if !can {
            let mut arguments = vec!["compile", arg(&input), "--target", "opencl", "-o", arg(&out)];
            arguments.extend(["--strategy", strategy, level]);
            arguments.extend(setting.options());
            let refused = relo(&arguments);
            assert_eq!(refused.status.code(), Some(1), "{strategy}\n{text}");
            continue;
        }
        setting.compile(&input, "opencl", &["--strategy", strategy, level], &out);
        let manifest = manifest(&out);
        let sites = sites_of(&manifest);
        for session in if strategy == "bake" { vec![0] } else { vec![0, 1] } {
            let session = Session::new(session);
            let spirv = if strategy == "import" && !sites.is_empty() {
                link_cells(&out, &sites, &session)
            } else {
                out.clone()
            };
            run(Command::new("spirv-val").args(["--target-env", "opencl2.2", arg(&spirv)]));
            let call = Job {
                artifact: spirv,
                kernel: "k".into(),
                session: words(&manifest, |referent| session.referent(referent)),
                numbers: PARAMETERS.to_vec(),
                words: program.kernel.len(),
                place: Place::Host,
            };
            let told = format!("opencl {strategy} {level}\n{text}");
            expected.push(Expected { call, results: program.results(&session, PARAMETERS), told });
        }
    }
    expected
}

/// Links a module with one that defines its words.
fn link_cells(module: &Path, sites: &[Site], session: &Session) -> PathBuf {
    let (source, cells, linked) = (
        module.with_extension(format!("cells{}.ll", session.objects[0])),
        module.with_extension(format!("cells{}", session.objects[0])),
        module.with_extension(format!("linked{}", session.objects[0])),
    );
    let mut text = String::from("target triple = \"spirv64-unknown-unknown\"\n");
    for site in sites {
        let word = session.word(site).cast_signed();
        let _ = writeln!(text, "@{} = addrspace(1) global i64 {word}, align 8", site.symbol);
    }
    // LLVM writes the variables of a module only when it has a function.
    text.push_str("define spir_func void @cells() {\n  ret void\n}\n");
    std::fs::write(&source, text).expect("written");
    relo_ok(&["compile", arg(&source), "--target", "opencl", "-o", arg(&cells)]);
    let mut link = Command::new("spirv-link");
    run(link.args([arg(module), arg(&cells), "--target-env", "opencl2.2", "-o", arg(&linked)]));
    describe(&linked, module);
    linked
}
