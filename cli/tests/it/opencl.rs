//! SPIR-V for OpenCL: validated, linked, loaded, and run on an OpenCL device that is this processor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use relo_loader::{Manifest, SiteRecord};
use relo_referent::{Action, Referent};

use crate::machines::words;
use crate::opencl_device::{Job, Place, describe, read_manifest, run_kernels};
use crate::support::{arg, corpus, device_code, folder, manifest, relo, relo_ok, run, sites_of};
use relo_testkit::root;

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

fn name_in(referent: &serde_json::Value) -> &str {
    referent["word"]["symbol"].as_str().expect("a word")
}

/// The kernels of an artifact in two sessions, and what each writes there.
fn jobs(artifact: &Path, place: Place) -> Vec<(Job, Vec<u64>)> {
    let mut jobs = Vec::new();
    for salt in [1, 0x7fff_0000_1234_5678] {
        let word = session(salt);
        for (kernel, numbers, results) in expected(&word) {
            let job = Job {
                artifact: artifact.to_owned(),
                kernel: kernel.to_owned(),
                session: words(&manifest(artifact), |referent| word(name_in(referent))),
                numbers,
                words: 2,
                place,
            };
            jobs.push((job, results));
        }
    }
    jobs
}

fn check(jobs: Vec<(Job, Vec<u64>)>) {
    let (jobs, wanted): (Vec<Job>, Vec<_>) =
        jobs.into_iter().map(|(job, results)| (job, Ok(results))).unzip();
    assert_eq!(run_kernels(&jobs), wanted);
}

#[test]
fn specialisation_constants_are_the_words() {
    let folder = folder();
    let input = slots_only(folder.path());
    let mut all = Vec::new();
    for (level, place) in [("-O0", Place::Host), ("-O2", Place::Device(0))] {
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
        let mut indices: Vec<u64> = sites.iter().filter_map(|site| site.index).collect();
        indices.sort_unstable();
        assert_eq!(numbers, indices);
        assert!(lines.iter().any(|line| line.contains("OpSpecConstant ")), "{lines:?}");
        all.extend(jobs(&out, place));
    }
    check(all);
}

#[test]
fn a_table_is_a_hidden_argument() {
    let folder = folder();
    let input = slots_only(folder.path());
    let keep = ["--entry", "words", "--entry", "chosen", "--entry", "plain"];
    let mut all = Vec::new();
    for (level, place) in [("-O0", Place::Device(0)), ("-O2", Place::Host)] {
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
        all.extend(jobs(&out, place));
    }
    check(all);
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
            let referent = serde_json::from_str(&site.referent).expect("JSON");
            let value = word(name_in(&referent)).cast_signed();
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
    describe(&path("linked.spv"), &path("import.spv"));
    let job = |(kernel, numbers, results): (&str, Vec<u64>, Vec<u64>)| {
        let (artifact, kernel) = (path("linked.spv"), kernel.to_owned());
        (Job { artifact, kernel, session: vec![], numbers, words: 2, place: Place::Host }, results)
    };
    check(expected(&word).into_iter().map(job).collect());
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

/// An artifact beside which another manifest lies.
fn altered(artifact: &Path, name: &str, alter: impl FnOnce(&mut Manifest, &mut Vec<u8>)) -> PathBuf {
    let mut manifest = read_manifest(artifact);
    let mut bytes = std::fs::read(artifact).expect("readable");
    alter(&mut manifest, &mut bytes);
    let path = artifact.with_extension(format!("{name}.spv"));
    std::fs::write(format!("{}.reloc.json", arg(&path)), manifest.to_json()).expect("written");
    std::fs::write(&path, bytes).expect("written");
    path
}

/// Makes the manifest one for these bytes.
fn sign(manifest: &mut Manifest, bytes: &[u8]) {
    manifest.artifact.size = bytes.len() as u64;
    manifest.artifact.blake3 = blake3::hash(bytes).to_hex().to_string();
}

fn first(manifest: &mut Manifest) -> &mut SiteRecord {
    manifest.sites.first_mut().expect("it has sites")
}

/// What a device's loader refuses, and what it says then.
#[test]
fn nothing_is_loaded_that_is_not_what_its_manifest_says() {
    let folder = folder();
    let input = slots_only(folder.path());
    let path = |name: &str| folder.path().join(name);
    compile(&input, "specialize", &[], &path("special.spv"));
    let keep = ["--entry", "words", "--entry", "chosen", "--entry", "plain"];
    compile(&input, "table", &keep, &path("table.spv"));
    let shader = root().join("cli/tests/data/shader.ll");
    let words = ["--use", "clang", "--set", "clang.words=^rt_", "--target", "vulkan"];
    relo_ok(&[&["compile", arg(&shader), "-o", arg(&path("shader.spv"))], &words[..]].concat());
    let special = |name: &str, alter: fn(&mut Manifest, &mut Vec<u8>)| {
        altered(&path("special.spv"), &format!("special.{name}"), alter)
    };
    let table = |name: &str, alter: fn(&mut Manifest, &mut Vec<u8>)| {
        altered(&path("table.spv"), &format!("table.{name}"), alter)
    };
    let cases = [
        (special("byte", |_, bytes| bytes[40] ^= 1), "relo::load::hash: "),
        (special("kind", |manifest, _| manifest.artifact.kind = "ptx".into()), "relo::load::kind: "),
        (
            special("write", |manifest, _| {
                (first(manifest).action, first(manifest).index) = (Action::Write, None);
            }),
            "relo::load::action: ",
        ),
        (
            special("number", |manifest, _| first(manifest).index = Some(9)),
            "the module has no specialisation constant 9",
        ),
        (special("huge", |manifest, _| first(manifest).index = Some(1 << 32)), "is no number of a"),
        (special("width", |manifest, _| first(manifest).width = 32), "0 is no integer of 32 bits"),
        (
            special("cut", |manifest, bytes| {
                bytes.truncate(bytes.len() - 6 * 4);
                sign(manifest, bytes);
            }),
            "relo::load::",
        ),
        (
            special("odd", |manifest, bytes| {
                // The types of all functions.
                for word in bytes.chunks_exact_mut(4).skip(5) {
                    if word[..2] == [33, 0] {
                        word[0] = 30;
                    }
                }
                sign(manifest, bytes);
            }),
            "relo::load::driver: ",
        ),
        (
            special("text", |manifest, bytes| {
                *bytes = b"no SPIR-V".to_vec();
                sign(manifest, bytes);
            }),
            "relo::load::malformed: the artifact is no SPIR-V: it has 9 bytes",
        ),
        (
            special("unknown", |manifest, _| {
                for referent in &mut manifest.referents {
                    if let Referent::Word { symbol, .. } = referent {
                        symbol.push_str("_of_nobody");
                    }
                }
            }),
            "3 referents can't be resolved",
        ),
        (
            table("kernel", |manifest, _| manifest.arguments[0].entry = "plain".into()),
            "relo::load::driver: the driver `libOpenCL.so.1`: can't set argument 2 of `plain`",
        ),
        (table("argument", |manifest, _| manifest.arguments[0].argument = 7), "can't set argument 7 of"),
        (table("nobody", |manifest, _| manifest.arguments.clear()), "relo::load::site: "),
        (
            table("vast", |manifest, _| {
                manifest.sites.last_mut().expect("a site").offset = 1 << 33;
            }),
            "tables have at most",
        ),
        (path("shader.spv"), "relo::load::machine: "),
    ];
    let mut jobs: Vec<Job> = Vec::new();
    for (artifact, _) in &cases {
        let mut job = self::jobs(&path("special.spv"), Place::Host).swap_remove(0).0;
        job.artifact.clone_from(artifact);
        jobs.push(job);
    }
    let told = run_kernels(&jobs);
    for ((artifact, wanted), told) in cases.iter().zip(told) {
        let Err(told) = told else { panic!("{} is loaded", artifact.display()) };
        assert!(told.contains(wanted), "{}: {told}", artifact.display());
    }
    // A function that is no kernel, and a device that is not there.
    let mut job = jobs.swap_remove(0);
    job.artifact = path("special.spv");
    let (function, device) =
        (Job { kernel: "choose".into(), ..job.clone() }, Job { place: Place::Device(99), ..job });
    let told = run_kernels(&[function, device]);
    assert_eq!(told[0], Err("relo::load::entry: the artifact has no function `choose`".into()));
    assert!(
        told[1].as_ref().is_err_and(|told| told.contains("there is no device 99: they are 1 in all")),
        "{told:?}"
    );
}
