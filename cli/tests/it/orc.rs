//! Objects and IR that relo made in another process, linked in this one by ORC.
#![allow(unsafe_code, reason = "loaded code is called")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Diagnostic as _;
use relo_loader::{Callback, Image as _, LoadError, Manifest, Process, Resolved, Root};
use relo_orc::JitImage;
use relo_referent::{Action, Referent};
use relo_testkit::root;

use crate::support::{arg, folder, relo_ok};

#[allow(dead_code, reason = "it is a program of its own, too")]
#[path = "../../../examples/orc/host.rs"]
mod host;

/// The example's program, compiled.
fn program(folder: &Path, options: &[&str], name: &str) -> PathBuf {
    let (example, out) = (root().join("examples/orc"), folder.join(name));
    let (input, session) = (example.join("program.ll"), example.join("program.session.json"));
    let arguments = ["compile", arg(&input), "--session", arg(&session), "--target", "x86_64-linux"];
    relo_ok(&[&arguments[..], &["-o", arg(&out)], options].concat());
    out
}

fn read(artifact: &Path) -> (Vec<u8>, Manifest) {
    let name = format!("{}.reloc.json", arg(artifact));
    let manifest = Manifest::parse(&std::fs::read_to_string(&name).expect("readable"), &name);
    (std::fs::read(artifact).expect("readable"), manifest.expect("a manifest"))
}

#[test]
fn objects_and_ir_compute_with_the_words_of_this_session() {
    let folder = folder();
    for (index, options) in [
        ["--strategy", "import", "--emit", "object"],
        ["--strategy", "patch", "--emit", "object"],
        ["--strategy", "table", "--emit", "object"],
        ["--strategy", "defer", "--emit", "llvm"],
        ["--strategy", "defer", "--emit", "bitcode"],
        ["--strategy", "import", "--emit", "bitcode"],
    ]
    .iter()
    .enumerate()
    {
        let artifact = program(folder.path(), options, &index.to_string());
        let values = host::run(&artifact).unwrap_or_else(|error| panic!("{options:?}: {error}"));
        assert_eq!(values, [1035, 1036], "{options:?}");
    }
}

/// A local record, all zero: no linker finds it by name, and as data of zeros it would have no bytes.
#[test]
fn data_that_no_linker_finds_are_filled_in() {
    let folder = folder();
    let input = root().join("examples/zero-box/program.ll");
    let type_of_vectors: Root = Arc::new(77i64);
    let word = Arc::as_ptr(&type_of_vectors).cast::<i64>() as u64;
    let resolver = Callback(|_: &Referent| Ok(Resolved { word, root: Some(type_of_vectors.clone()) }));
    for options in [["--emit", "object", "-O0"], ["--emit", "bitcode", "-O2"]] {
        let out = folder.path().join(options[1]);
        let strategy = if options[1] == "object" { "patch" } else { "defer" };
        let arguments = ["compile", arg(&input), "--target", "x86_64-linux", "--strategy", strategy];
        relo_ok(&[&arguments[..], &["-o", arg(&out)], &options].concat());
        let (bytes, manifest) = read(&out);
        let image = JitImage::load(&bytes, &manifest, &resolver).expect("it loads");
        assert_eq!(Arc::strong_count(&type_of_vectors), 2, "the image keeps it");
        let address = image.entry("zeros").expect("it is there") as *const ();
        // SAFETY: that is its type, and the image is alive.
        let zeros = unsafe { std::mem::transmute::<*const (), extern "C" fn() -> i64>(address) };
        assert_eq!(zeros(), 77, "{options:?}");
        drop(image);
        assert_eq!(Arc::strong_count(&type_of_vectors), 1);
    }
}

fn told(result: Result<JitImage, LoadError>) -> String {
    let Err(error) = result else { panic!("it is loaded") };
    format!("{}: {error}", error.code().expect("all of the loader's errors have a code"))
}

#[test]
fn what_is_not_as_its_manifest_says_is_not_linked() {
    let folder = folder();
    let (object, manifest) =
        read(&program(folder.path(), &["--strategy", "import", "--emit", "object"], "o"));
    let resolver = Callback(|_: &Referent| Ok(Resolved { word: 1, root: None }));
    let refused = |bytes: &[u8], manifest: &Manifest, wanted: &str| {
        let told = told(JitImage::load(bytes, manifest, &resolver));
        assert!(told.contains(wanted), "{told}, not {wanted}");
    };
    let altered = |alter: fn(&mut Manifest)| {
        let mut manifest = manifest.clone();
        alter(&mut manifest);
        manifest
    };
    let signed = |bytes: &[u8]| {
        let mut manifest = manifest.clone();
        manifest.artifact.size = bytes.len() as u64;
        manifest.artifact.blake3 = blake3::hash(bytes).to_hex().to_string();
        manifest
    };
    let mut damaged = object.clone();
    damaged[70] ^= 1;
    refused(&damaged, &manifest, "relo::load::hash: ");
    refused(b"no ELF", &signed(b"no ELF"), "relo::load::malformed: the artifact is no object: ");
    refused(&object, &altered(|m| m.artifact.kind = "ptx".into()), "relo::load::kind: ");
    refused(
        &object,
        &altered(|m| m.artifact.kind = "llvm".into()),
        "relo::load::malformed: the artifact is no LLVM IR: ",
    );
    refused(&object, &altered(|m| m.target.triple = "avr-none".into()), "relo::load::machine: ");
    refused(&object, &altered(|m| m.sites[0].action = Action::Apply), "relo::load::action: ");
    refused(&object, &altered(|m| m.sites[0].symbol = "nobody".into()), "relo::load::site: ");
    refused(&object, &altered(|m| m.sites[0].offset = 16), "`rate_box` has 16 bytes");
    refused(&object, &altered(|m| m.entries = vec!["nobody".into()]), "Symbols not found: [ nobody ]");
    let told = told(JitImage::load(&object, &manifest, &Process::default()));
    assert!(told.starts_with("relo::load::unresolved: 2 referents can't be resolved"), "{told}");

    // A function of another library is no entry, though ORC would find it.
    let image = JitImage::load(&object, &manifest, &resolver).expect("it loads");
    assert_eq!(image.entries(), ["value"]);
    assert!(image.entry("malloc").is_err());
}

/// Nobody would run it.
#[test]
fn code_that_runs_before_all_other_code_is_refused() {
    let folder = folder();
    let (input, out) = (folder.path().join("in.ll"), folder.path().join("out.bc"));
    let text = "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @first, ptr null }]\n\
                @count = global i64 0\n\
                define void @first() {\n  store i64 1, ptr @count\n  ret void\n}\n";
    std::fs::write(&input, text).expect("written");
    relo_ok(&[
        "compile",
        arg(&input),
        "--target",
        "x86_64-linux",
        "--emit",
        "bitcode",
        "-O0",
        "-o",
        arg(&out),
    ]);
    let (bytes, manifest) = read(&out);
    let told = told(JitImage::load(&bytes, &manifest, &Process::default()));
    assert!(told.contains("functions to run before all others"), "{told}");
}
