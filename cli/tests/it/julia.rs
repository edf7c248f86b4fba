//! Julia's code, with addresses of its session baked in or with globals that an image loader fills: all of them become
//! referents, and no more than there are.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use regex::Regex;
use relo_testkit::{Case, cases};

use crate::support::{addresses, arg, corpus, folder, holds_address, llvm, manifest, relo_ok, run};

/// What a rule fired at, over a whole compilation.
fn firings(trace: &str, rule: &str) -> usize {
    trace.lines().filter(|line| line.starts_with(&format!("lift: {rule} on "))).count()
}

/// The input as LLVM's own tool prints it.
fn disassembled(input: &Path) -> String {
    run(Command::new(llvm("llvm-dis")).args([arg(input), "-o", "-"]))
}

/// The referents of a session table, as JSON text.
fn known(table: &Case) -> BTreeSet<String> {
    let entries: serde_json::Value = serde_json::from_str(&table.text).expect("a session table");
    let entries = entries["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["target"].to_string()).collect()
}

#[test]
fn no_address_of_the_session_is_left() {
    let folder = folder();
    let pointer = Regex::new(r"inttoptr \(i64 (-?\d{6,}) to ptr").expect("it is one");
    let mut used = 0;
    let mut counted = 0;
    let tables = cases(&corpus("julia/baked"), "json");
    assert_eq!(tables.len(), 28);
    for table in tables {
        let name = table.name.trim_end_matches(".session");
        let input = corpus(&format!("julia/baked/{name}.bc"));
        let output = folder.path().join(format!("{name}.so"));
        let (target, session) = ("x86_64-linux", arg(&table.path));
        let trace = relo_ok(&[
            "compile",
            arg(&input),
            "--target",
            target,
            "--session",
            session,
            "--use",
            "julia",
            "--trace",
            "-o",
            arg(&output),
        ]);
        // MLIR has each constant once a function, so that is how they are counted.
        let text = disassembled(&input);
        let expected: usize = text
            .split("\ndefine ")
            .map(|function| pointer.captures_iter(function).map(|found| found[1].to_owned()))
            .map(|found| found.collect::<BTreeSet<_>>().len())
            .sum();
        assert_eq!(firings(&trace, "generic.address"), expected, "{name}");
        counted += expected;

        let artifact = std::fs::read(&output).expect("written");
        for address in addresses(&table.path) {
            assert!(!holds_address(&artifact, address), "{name} holds {address:#x}");
        }
        let (manifest, known) = (manifest(&output), known(&table));
        let referents = manifest["referents"].as_array().expect("referents");
        for referent in referents {
            let word = referent["word"]["symbol"].as_str().is_some_and(|symbol| symbol.starts_with("jl_"));
            assert!(word || known.contains(&referent.to_string()), "{name}: {referent} is not in the table");
        }
        // Two different addresses are never one site, and one is never two slots.
        let sites = manifest["sites"].as_array().expect("sites");
        let places: BTreeSet<String> =
            sites.iter().map(|site| format!("{} {}", site["symbol"], site["offset"])).collect();
        assert_eq!(places.len(), sites.len(), "{name}");
        used += referents.len();
    }
    assert!(used > 60, "the functions refer to more than {used} objects");
    assert!(counted > 60, "the functions have more than {counted} references");
}

#[test]
fn every_global_of_an_image_is_lifted() {
    let folder = folder();
    let load = Regex::new(r#"= load [^,]+, ptr @("[^"]+"|[\w.$]+)"#).expect("it is one");
    let cell = Regex::new(r"(?m)^@(jl_\w+) = external (?:global|constant) ").expect("it is one");
    let tables = cases(&corpus("julia/image"), "json");
    assert_eq!(tables.len(), 14);
    let mut counted = 0;
    for table in tables {
        let name = table.name.trim_end_matches(".session");
        let input = corpus(&format!("julia/image/{name}.bc"));
        let output = folder.path().join(format!("{name}.ll"));
        let (target, session) = ("x86_64-linux", arg(&table.path));
        let mut arguments = vec!["compile", arg(&input), "--target", target, "--session", session];
        arguments.extend(["--use", "julia", "-O0", "--emit", "llvm", "--trace", "-o", arg(&output)]);
        let trace = relo_ok(&arguments);

        let entries: serde_json::Value = serde_json::from_str(&table.text).expect("a session table");
        let entries = entries["entries"].as_array().expect("entries");
        let globals: BTreeSet<&str> = entries.iter().filter_map(|entry| entry["global"].as_str()).collect();
        let text = disassembled(&input);
        let cells: BTreeSet<&str> =
            cell.captures_iter(&text).map(|found| found.get(1).expect("a group").as_str()).collect();
        let loaded: Vec<&str> = load
            .captures_iter(&text)
            .map(|found| found.get(1).expect("a group").as_str().trim_matches('"'))
            .collect();
        let expected = loaded.iter().filter(|name| globals.contains(*name)).count();
        assert_eq!(firings(&trace, "generic.global_word"), expected, "{name}");
        let expected_words =
            loaded.iter().filter(|name| cells.contains(*name) && **name != "jl_world_counter").count();
        assert_eq!(firings(&trace, "julia.word"), expected_words, "{name}");
        counted += expected + expected_words;

        // The globals are gone, and each referent that code used is a site.
        let made = std::fs::read_to_string(&output).expect("written");
        for global in &globals {
            assert!(!made.contains(&format!("@{global}")), "{name}: {global} is left");
        }
        let used: BTreeSet<&str> = loaded.into_iter().filter(|name| globals.contains(name)).collect();
        let targets: BTreeSet<String> = entries
            .iter()
            .filter(|entry| used.contains(entry["global"].as_str().unwrap_or_default()))
            .map(|entry| entry["target"].to_string())
            .collect();
        let manifest = manifest(&output);
        let referents = manifest["referents"].as_array().expect("referents");
        let found: BTreeSet<String> = referents.iter().map(ToString::to_string).collect();
        assert!(targets.is_subset(&found), "{name}: {:?}", targets.difference(&found));
    }
    assert!(counted > 500, "the images have more than {counted} references");
}
