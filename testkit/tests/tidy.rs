//! What a reader of the code may rely on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use relo_engine::Library;
use relo_referent::Action;
use relo_testkit::{packs, root};

const CRATES: [&str; 13] = [
    "referent", "grammar", "engine", "dialect", "codegen", "trial", "loader", "orc", "cache", "capi",
    "python", "cli", "testkit",
];

/// The Rust files of the crates, tests and build scripts apart.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in CRATES {
        collect(&root().join(name).join("src"), &mut files);
    }
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a source folder").flatten() {
        if entry.path().is_dir() {
            collect(&entry.path(), files);
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            files.push(entry.path());
        }
    }
}

/// A file's code: comments and what only tests see apart.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("readable");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The words of quoted texts and of code.
fn words(code: &str) -> BTreeSet<&str> {
    code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).collect()
}

#[test]
fn rust_names_no_strategy_target_or_front_end() {
    let (library, _) = Library::new(&packs());
    let mut names: BTreeSet<String> = library.targets().map(|(_, target)| target.name.clone()).collect();
    names.extend(library.packs().map(|pack| pack.name.clone()));
    for pack in library.packs() {
        for (_, file) in &pack.files {
            for item in &file.items {
                if let relo_grammar::tree::Item::Strategy(strategy) = item {
                    names.insert(strategy.name.item.clone());
                }
            }
        }
    }
    // Loader actions are Rust's, and the strategies that are called like them are not.
    for (action, _) in Action::ALL {
        names.remove(action);
    }
    // Words that Rust or its libraries have for other things.
    for word in ["core", "generic", "native", "import", "riscv64"] {
        names.remove(word);
    }
    assert!(names.contains("patch") && names.contains("numba") && names.contains("cuda"));
    for path in sources() {
        let code = code(&path);
        for word in words(&code) {
            let word = word.to_lowercase();
            // The least of changes is called so in semantic versions.
            if word == "patch" && path.ends_with("engine/src/evolve/mod.rs") {
                continue;
            }
            // The interface that loads code there is called so, too.
            if word == "opencl" && ["cl.rs", "spirv_program.rs"].iter().any(|file| path.ends_with(file)) {
                continue;
            }
            assert!(!names.contains(&word), "{} names `{word}`, which is data in rules/", path.display());
        }
    }
}

#[test]
fn shipped_rules_are_formatted() {
    for pack in packs() {
        for file in &pack.files {
            let formatted = relo_grammar::format(file).expect("shipped rules parse");
            assert_eq!(formatted, *file.text, "{}: run `relo fmt rules`", file.name);
        }
    }
}

#[test]
fn unsafe_code_stays_where_it_is_allowed() {
    for path in sources() {
        let relative = path.strip_prefix(root()).expect("inside").to_string_lossy().into_owned();
        let allowed = relative.starts_with("dialect/")
            || relative.starts_with("codegen/")
            || relative.starts_with("capi/")
            || ["cells", "cl", "driver", "shared_object"]
                .iter()
                .any(|file| relative == format!("loader/src/{file}.rs"))
            || relative == "orc/src/jit.rs"
            || relative == "cli/src/run.rs";
        let code = code(&path);
        assert!(allowed || !words(&code).contains("unsafe"), "{relative} has unsafe code");
    }
}

#[test]
fn one_file_names_pest_and_one_yaml() {
    for (word, owner) in [("pest", "grammar/src/parser.rs"), ("serde_yaml", "engine/src/pack/yaml.rs")] {
        for path in sources() {
            let relative = path.strip_prefix(root()).expect("inside").to_string_lossy().into_owned();
            let code = code(&path);
            assert!(
                relative == owner || !words(&code).contains(word),
                "{relative} names {word}: only {owner} does"
            );
        }
    }
}

#[test]
fn crates_without_llvm_stay_without() {
    for name in ["referent", "grammar", "engine", "loader", "cache", "capi", "python", "testkit"] {
        let manifest = std::fs::read_to_string(root().join(name).join("Cargo.toml")).expect("readable");
        for library in ["melior", "mlir-sys", "llvm-sys", "relo-dialect", "relo-codegen"] {
            assert!(!manifest.contains(library), "{name} depends on {library}");
        }
    }
}

#[test]
fn files_are_short_and_have_a_head() {
    for path in sources() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lines = text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines: it holds more than one concept", path.display());
        assert!(text.starts_with("//!"), "{} does not say what it is", path.display());
    }
}
