//! SPIR-V for OpenCL: validated, linked, and run on an OpenCL device that is this processor.
//!
//! A driver that crashes takes its process along: kernels run in a process of their own, which is this test binary.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::{Program, set_program_specialization_constant};
use opencl3::types::{CL_BLOCKING, cl_ulong};
use serde::{Deserialize, Serialize};

use crate::support::{arg, corpus, device_code, folder, manifest, relo, relo_ok, run, sites_of, tool};

/// A kernel to run once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The module.
    pub spirv: PathBuf,
    /// The kernel.
    pub kernel: String,
    /// The specialisation constants, by number.
    pub constants: BTreeMap<u32, u64>,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// How many words it writes.
    pub words: usize,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Argument {
    /// Where it writes its results.
    Results,
    /// A number.
    Number(u64),
    /// Words that it reads.
    Words(Vec<u64>),
}

/// Runs kernels in a process of their own; the words that each writes, or what the driver says.
pub fn run_kernels(jobs: &[Job]) -> Vec<Result<Vec<u64>, String>> {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("jobs"), serde_json::to_string(jobs).expect("plain data")).expect("written");
    let mut device = Command::new(std::env::current_exe().expect("a test binary"));
    device.args(["--ignored", "--exact", "opencl::device", "--quiet"]);
    device.env("OCL_ICD_VENDORS", tool("icd")).env("RELO_JOBS", folder.path());
    run(&mut device);
    let results = std::fs::read_to_string(path("results")).expect("the device ran");
    serde_json::from_str(&results).expect("its results")
}

#[test]
#[ignore = "the process that the other tests run kernels in"]
fn device() {
    let folder = PathBuf::from(std::env::var_os("RELO_JOBS").expect("a folder of jobs"));
    let jobs = std::fs::read_to_string(folder.join("jobs")).expect("readable");
    let jobs: Vec<Job> = serde_json::from_str(&jobs).expect("jobs");
    let platforms = get_platforms().expect("an OpenCL loader");
    let platform = platforms.first().expect("an OpenCL platform");
    let devices = platform.get_devices(CL_DEVICE_TYPE_ALL).expect("devices");
    let device = Device::new(*devices.first().expect("an OpenCL device"));
    let results: Vec<Result<Vec<u64>, String>> = jobs.iter().map(|job| run_kernel(job, &device)).collect();
    std::fs::write(folder.join("results"), serde_json::to_string(&results).expect("plain data"))
        .expect("written");
}

fn run_kernel(job: &Job, device: &Device) -> Result<Vec<u64>, String> {
    let said = |step: &'static str| move |error: opencl3::error_codes::ClError| format!("{step}: {error}");
    let context = Context::from_device(device).map_err(said("context"))?;
    let queue = CommandQueue::create_default_with_properties(&context, 0, 0).map_err(said("queue"))?;
    let code = std::fs::read(&job.spirv).expect("the module is there");
    let mut program = Program::create_from_il(&context, &code).map_err(said("module"))?;
    for (number, word) in &job.constants {
        let bytes = word.to_le_bytes();
        // SAFETY: the bytes live during the call.
        unsafe {
            set_program_specialization_constant(program.get(), *number, bytes.len(), bytes.as_ptr().cast())
        }
        .map_err(|error| format!("constant {number}: {error}"))?;
    }
    program.build(&[device.id()], "").map_err(|error| {
        format!("build: {error}: {}", program.get_build_log(device.id()).unwrap_or_default())
    })?;
    let kernel = Kernel::create(&program, &job.kernel).map_err(said("kernel"))?;
    let nothing = std::ptr::null_mut();
    // SAFETY: buffers and numbers live until the queue is done; the kernel's arguments are what the job says.
    unsafe {
        let mut results = Buffer::<cl_ulong>::create(&context, CL_MEM_READ_WRITE, job.words, nothing)
            .map_err(said("buffer"))?;
        let zeros = vec![0; job.words];
        queue.enqueue_write_buffer(&mut results, CL_BLOCKING, 0, &zeros, &[]).map_err(said("write"))?;
        let mut tables = Vec::new();
        for argument in &job.arguments {
            if let Argument::Words(words) = argument {
                let mut table = Buffer::<cl_ulong>::create(&context, CL_MEM_READ_ONLY, words.len(), nothing)
                    .map_err(said("buffer"))?;
                queue.enqueue_write_buffer(&mut table, CL_BLOCKING, 0, words, &[]).map_err(said("write"))?;
                tables.push(table);
            }
        }
        let mut execute = ExecuteKernel::new(&kernel);
        let mut tables = tables.iter();
        for argument in &job.arguments {
            match argument {
                Argument::Results => execute.set_arg(&results),
                Argument::Number(number) => execute.set_arg(number),
                Argument::Words(_) => execute.set_arg(tables.next().expect("one each")),
            };
        }
        execute.set_global_work_size(1).enqueue_nd_range(&queue).map_err(said("start"))?;
        queue.finish().map_err(said("run"))?;
        let mut words = vec![0; job.words];
        queue.enqueue_read_buffer(&results, CL_BLOCKING, 0, &mut words, &[]).map_err(said("read"))?;
        Ok(words)
    }
}

/// The module of `data/device.ll`, without its record: nothing delivers one here.
fn slots_only(folder: &Path) -> PathBuf {
    let path = device_code(folder, "spirv64-unknown-unknown", "spir_kernel", "spir_func");
    let text = std::fs::read_to_string(&path).expect("written");
    let (before, record) = text.split_once("@header = ").expect("the record");
    let after = record.split_once("align 16").expect("its end").1;
    let (head, kernel) =
        after.split_once("define spir_kernel void @inside").expect("the kernel that reads it");
    let tail = kernel.split_once("\n}\n").expect("its end").1;
    std::fs::write(&path, [before, head, tail].concat()).expect("written");
    path
}

fn compile(input: &Path, strategy: &str, more: &[&str], out: &Path) -> serde_json::Value {
    let mut arguments = vec!["compile", arg(input), "--target", "opencl", "--strategy", strategy];
    arguments.extend(["--use", "clang", "--set", "clang.words=^rt_", "-o", arg(out)]);
    arguments.extend(more);
    relo_ok(&arguments);
    run(Command::new("spirv-val").args(["--target-env", "opencl2.2", arg(out)]));
    manifest(out)
}

/// Lines of the module's disassembly.
fn disassembled(module: &Path) -> Vec<String> {
    let text = run(Command::new("spirv-dis").args(["--no-color", "--raw-id", arg(module)]));
    text.lines().map(|line| line.trim().to_owned()).collect()
}

/// What each kernel writes, where `word` gives the word of a referent.
fn expected(word: impl Fn(&str) -> u64) -> Vec<(&'static str, Vec<u64>, Vec<u64>)> {
    let (yes, no, third) = (word("rt_true"), word("rt_false"), word("rt_table"));
    vec![
        ("words", vec![], vec![yes.wrapping_add(third), yes]),
        ("chosen", vec![7], vec![yes, 0]),
        ("chosen", vec![8], vec![no, 0]),
        ("plain", vec![5], vec![5, 0]),
    ]
}

/// Words of one session, found by the name in a referent.
fn session(salt: u64) -> impl Fn(&str) -> u64 {
    move |name| {
        let hash = name.bytes().fold(salt, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

fn name_in(referent: &str) -> &str {
    let names = ["rt_true", "rt_false", "rt_table"];
    names.into_iter().find(|name| referent.contains(name)).expect("a known word")
}

#[test]
fn specialisation_constants_are_the_words() {
    let folder = folder();
    let input = slots_only(folder.path());
    let mut jobs = Vec::new();
    let mut wanted = Vec::new();
    for level in ["-O0", "-O2"] {
        let out = folder.path().join(format!("special{level}.spv"));
        let manifest = compile(&input, "specialize", &[level], &out);
        let sites = sites_of(&manifest);
        assert_eq!(sites.len(), 3);
        assert!(sites.iter().all(|site| site.action == "specialize"), "{sites:?}");
        // The manifest has the numbers that the module has, and no others.
        let lines = disassembled(&out);
        let mut numbers: Vec<u64> =
            lines.iter().filter_map(|line| line.split_once(" SpecId ")?.1.parse().ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let indices: Vec<u64> = sites.iter().filter_map(|site| site.index).collect();
        let mut sorted = indices.clone();
        sorted.sort_unstable();
        assert_eq!(numbers, sorted);
        assert!(lines.iter().any(|line| line.contains("OpSpecConstant ")), "{lines:?}");
        for salt in [1, 0x7fff_0000_1234_5678] {
            let word = session(salt);
            let constants: BTreeMap<u32, u64> = sites
                .iter()
                .map(|site| (site.index.expect("a number") as u32, word(name_in(&site.referent))))
                .collect();
            for (kernel, numbers, results) in expected(&word) {
                let mut arguments = vec![Argument::Results];
                arguments.extend(numbers.into_iter().map(Argument::Number));
                jobs.push(Job {
                    spirv: out.clone(),
                    kernel: kernel.to_owned(),
                    constants: constants.clone(),
                    arguments,
                    words: 2,
                });
                wanted.push(Ok(results));
            }
        }
    }
    assert_eq!(run_kernels(&jobs), wanted);
}

#[test]
fn a_table_is_a_hidden_argument() {
    let folder = folder();
    let input = slots_only(folder.path());
    let keep = ["--entry", "words", "--entry", "chosen", "--entry", "plain"];
    let mut jobs = Vec::new();
    let mut wanted = Vec::new();
    for level in ["-O0", "-O2"] {
        let out = folder.path().join(format!("table{level}.spv"));
        let manifest = compile(&input, "table", &[&keep[..], &[level]].concat(), &out);
        let sites = sites_of(&manifest);
        assert!(sites.iter().all(|site| site.action == "table"), "{sites:?}");
        let records = manifest["arguments"].as_array().expect("arguments");
        let places: BTreeMap<&str, u64> = records
            .iter()
            .map(|record| (record["entry"].as_str().expect("it"), record["argument"].as_u64().expect("it")))
            .collect();
        // The kernel without a host reference is as it was.
        assert_eq!(places, BTreeMap::from([("chosen", 2), ("words", 1)]));
        for salt in [1, 0x7fff_0000_1234_5678] {
            let word = session(salt);
            let mut table = vec![0; 3];
            for site in &sites {
                table[site.index.expect("an index") as usize] = word(name_in(&site.referent));
            }
            for (kernel, numbers, results) in expected(&word) {
                let mut arguments = vec![Argument::Results];
                arguments.extend(numbers.into_iter().map(Argument::Number));
                if let Some(place) = places.get(kernel) {
                    arguments.insert(*place as usize, Argument::Words(table.clone()));
                }
                let constants = BTreeMap::new();
                jobs.push(Job {
                    spirv: out.clone(),
                    kernel: kernel.to_owned(),
                    constants,
                    arguments,
                    words: 2,
                });
                wanted.push(Ok(results));
            }
        }
    }
    assert_eq!(run_kernels(&jobs), wanted);
}

#[test]
fn imported_words_are_linked() {
    let folder = folder();
    let input = slots_only(folder.path());
    let path = |name: &str| folder.path().join(name);
    let manifest = compile(&input, "import", &[], &path("import.spv"));
    let sites = sites_of(&manifest);
    let link = |modules: &[&Path], out: &Path| {
        let mut command = Command::new("spirv-link");
        command.args(modules).args(["--target-env", "opencl2.2", "-o", arg(out)]);
        command.output().expect("spirv-link runs")
    };
    let alone = link(&[&path("import.spv")], &path("alone.spv"));
    let said = String::from_utf8_lossy(&alone.stderr);
    assert!(!alone.status.success() && said.contains("Unresolved external reference to"), "{said}");
    // A module of the session defines the cells.
    let word = session(3);
    let cells: String = sites
        .iter()
        .map(|site| {
            let value = word(name_in(&site.referent)).cast_signed();
            format!("@{} = addrspace(1) global i64 {value}, align 8\n", site.symbol)
        })
        .collect();
    // LLVM writes the variables of a module only when it has a function.
    let head =
        "target triple = \"spirv64-unknown-unknown\"\ndefine spir_func void @cells() {\n  ret void\n}\n";
    std::fs::write(path("cells.ll"), format!("{head}{cells}")).expect("written");
    relo_ok(&["compile", arg(&path("cells.ll")), "--target", "opencl", "-o", arg(&path("cells.spv"))]);
    let linked = link(&[&path("import.spv"), &path("cells.spv")], &path("linked.spv"));
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let mut jobs = Vec::new();
    let mut wanted = Vec::new();
    for (kernel, numbers, results) in expected(&word) {
        let mut arguments = vec![Argument::Results];
        arguments.extend(numbers.into_iter().map(Argument::Number));
        let (spirv, kernel) = (path("linked.spv"), kernel.to_owned());
        jobs.push(Job { spirv, kernel, constants: BTreeMap::new(), arguments, words: 2 });
        wanted.push(Ok(results));
    }
    assert_eq!(run_kernels(&jobs), wanted);
}

#[test]
fn what_a_loader_cannot_do_is_refused() {
    let folder = folder();
    let out = folder.path().join("out.spv");
    let words = ["--use", "clang", "--set", "clang.words=^rt_", "--target", "opencl", "-o", arg(&out)];
    let refused = |input: &Path, more: &[&str]| {
        let output = relo(&[&["compile", arg(input)], &words[..], more].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && !out.exists(), "{text}");
        text
    };
    let corpus = corpus("device/tag_kernel.spirv64.ll");
    let patched = refused(&corpus, &["--strategy", "patch"]);
    assert!(patched.contains("relo::plan::no_strategy") && patched.contains("`specialize`"), "{patched}");
    let record = device_code(folder.path(), "spirv64-unknown-unknown", "spir_kernel", "spir_func");
    let record = refused(&record, &[]);
    assert!(record.contains("`header`") && record.contains("`bake`"), "{record}");
    // A function that others may call can't be handed a table.
    let shared = refused(&slots_only(folder.path()), &["--strategy", "table"]);
    assert!(shared.contains("relo::codegen::argument") && shared.contains("--entry"), "{shared}");
}
