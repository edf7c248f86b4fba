//! Numba's code, compiled in one session and run in another process.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{addresses, arg, corpus, folder, holds_address, manifest, relo_ok, run};

const MODULES: [&str; 6] =
    ["calls_cos", "calls_two", "calls_callback", "maps_callback", "raises", "reads_global_array"];

/// The function that Numba made of the Python function of the module's name.
fn entry(module: &str) -> String {
    let text = std::fs::read_to_string(corpus(&format!("numba/session-a/{module}.ll"))).expect("readable");
    let start = text.find("@_ZN8__main__").expect("it is there") + 1;
    let end = text[start..].find('(').expect("it has parameters");
    text[start..start + end].to_owned()
}

fn compile(module: &str, session: &str, output: &Path) {
    let input = corpus(&format!("numba/session-{session}/{module}.ll"));
    let table = corpus(&format!("numba/session-{session}/{module}.session.json"));
    let (entry, target) = (entry(module), "x86_64-linux");
    relo_ok(&[
        "compile",
        arg(&input),
        "--target",
        target,
        "--session",
        arg(&table),
        "--entry",
        &entry,
        "-o",
        arg(output),
    ]);
}

#[test]
fn two_sessions_give_the_same_bytes_without_their_addresses() {
    let folder = folder();
    for module in MODULES {
        let outputs: Vec<PathBuf> = ["a", "b"]
            .map(|session| {
                let output = folder.path().join(format!("{module}.{session}.so"));
                compile(module, session, &output);
                output
            })
            .to_vec();
        let bytes: Vec<Vec<u8>> = outputs.iter().map(|path| std::fs::read(path).expect("written")).collect();
        assert_eq!(bytes[0], bytes[1], "{module}: the artifacts differ");
        assert_eq!(manifest(&outputs[0]), manifest(&outputs[1]), "{module}: the manifests differ");
        assert_eq!(manifest(&outputs[0])["portable"], true, "{module}");
        for session in ["a", "b"] {
            for address in addresses(&corpus(&format!("numba/session-{session}/{module}.session.json"))) {
                assert!(
                    !holds_address(&bytes[0], address),
                    "{module} holds {address:#x} of session {session}"
                );
            }
        }
    }
}

/// Numba's own count: a global an address, and the loads of it; a global an environment, and the loads of that.
#[test]
fn every_reference_is_lifted() {
    let folder = folder();
    let output = folder.path().join("module.ll");
    for (module, session) in MODULES.iter().flat_map(|module| [(module, "a"), (module, "b")]) {
        let input = corpus(&format!("numba/session-{session}/{module}.ll"));
        let table = corpus(&format!("numba/session-{session}/{module}.session.json"));
        let mut arguments = vec!["compile", arg(&input), "-t", "x86_64-linux", "--session", arg(&table)];
        arguments.extend(["-O0", "--emit", "llvm", "--trace", "-o", arg(&output)]);
        let trace = relo_ok(&arguments);
        let text = std::fs::read_to_string(&input).expect("readable");
        let loads = |global: &str| text.matches(&format!("= load ptr, ptr @{global}")).count();
        let fired = |rule: &str| trace.matches(&format!("lift: numba.{rule} on ")).count();
        assert_eq!(fired("dynamic_global"), loads("numba.dynamic.globals."), "{module} {session}");
        assert_eq!(fired("environment"), loads("_ZN08NumbaEnv"), "{module} {session}");
        assert!(loads("numba.dynamic.globals.") >= addresses(&table).len(), "{module} {session}");
        // Every address that the table has is a referent; an environment may be compared with null only, and is none then.
        let manifest = manifest(&output);
        let found: Vec<&serde_json::Value> =
            manifest["referents"].as_array().expect("referents").iter().collect();
        let table: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&table).expect("readable")).expect("JSON");
        for entry in table["entries"].as_array().expect("entries") {
            assert!(found.contains(&&entry["target"]), "{module} {session}: {}", entry["target"]);
        }
    }
}

/// Calls a module's function twice, in processes of their own: addresses differ from one to the next.
fn call(module: &str, signature: &str, more: &[&str], arguments: &[&str]) -> String {
    let folder = folder();
    let artifact = folder.path().join("module.so");
    compile(module, "a", &artifact);
    let entry = entry(module);
    let mut all = vec!["run", arg(&artifact), "--entry", &entry, "--signature", signature];
    all.extend(["--allow", "libm.so.6", "--allow", "libc.so.6"]);
    all.extend(more);
    all.push("--");
    all.extend(arguments);
    let first = relo_ok(&all);
    assert_eq!(first, relo_ok(&all), "{module}: another process, another result");
    first
}

#[test]
fn calls_functions_of_libm_and_libc() {
    let cos = call("calls_cos", "i32 (out f64, ptr, f64)", &[], &["0", "1.0"]);
    assert_eq!(cos, format!("0\nout {:?}\n", 1f64.cos()));
    let two = call("calls_two", "i32 (out f64, ptr, f64, f64)", &[], &["0", "3.0", "4.0"]);
    assert_eq!(two, format!("0\nout {:?}\n", 3f64.hypot(4.0) + 3f64.cos()));
}

#[test]
fn returns_values_and_raises() {
    assert_eq!(call("raises", "i32 (out i64, ptr, i64)", &[], &["0", "7"]), "0\nout 7\n");
    let raised = call("raises", "i32 (out i64, out i1, i64)", &[], &["-7"]);
    assert!(raised.starts_with("1\n"), "a status of 1 is an exception: {raised}");
}

#[test]
fn a_resolver_supplies_the_callback() {
    let folder = folder();
    let source = folder.path().join("callback.c");
    let text = "long increment(long x) { return x + 1; }\nlong environment;\n";
    std::fs::write(&source, text).expect("written");
    let library = folder.path().join("libcallback.so");
    run(Command::new("cc").args(["-shared", "-fPIC", "-o", arg(&library), arg(&source)]));
    let table = folder.path().join("resolve.json");
    let is = |name: &str| serde_json::json!({ "symbol": { "name": name, "library": arg(&library) } });
    let object = |key: &str| serde_json::json!({ "object": { "runtime": "numba", "key": key } });
    let environment = entry("calls_callback").replacen("_ZN", "_ZN08NumbaEnv", 1);
    let entries = serde_json::json!({ "entries": [
        { "target": object("code of generate.increment"), "is": is("increment") },
        { "target": object(&environment), "is": is("environment") },
    ] });
    std::fs::write(&table, entries.to_string()).expect("written");
    let more = ["--resolve", arg(&table), "--allow", arg(&library)];
    let result = call("calls_callback", "i32 (out i64, ptr, i64)", &more, &["0", "-5"]);
    assert_eq!(result, format!("0\nout {}\n", -5 + 1 + 5));
}
