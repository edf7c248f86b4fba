//! What an author begins with: a new pack that works at once, and pages that say what rules do.

use std::path::Path;

use relo_codegen::shipped_packs;
use relo_engine::Library;
use relo_testkit::root;

use crate::support::{arg, folder, relo, relo_ok};

/// A new pack, checked and formatted; its folder.
fn made(into: &Path, arguments: &[&str]) -> String {
    let name = arguments[0];
    let mut all = vec!["new"];
    all.extend(arguments);
    all.extend(["--into", arg(into)]);
    let listed = relo_ok(&all);
    let pack = into.join(name);
    for file in listed.lines() {
        assert!(Path::new(file).exists(), "{file}");
    }
    let pack = arg(&pack).to_owned();
    relo_ok(&["check", "--rules", &pack, name]);
    relo_ok(&["fmt", "--check", &pack]);
    pack
}

#[test]
fn a_new_front_end_checks_and_compiles() {
    let folder = folder();
    let pack = made(folder.path(), &["mine"]);
    let (input, output) = (folder.path().join("in.ll"), folder.path().join("out.ll"));
    let text = "@mine_rt_true = external global ptr\n@other = external global ptr\n\
                define ptr @f() {\n  %a = load ptr, ptr @mine_rt_true\n  %b = load ptr, ptr @other\n  \
                %c = icmp eq ptr %a, %b\n  %d = select i1 %c, ptr %a, ptr null\n  ret ptr %d\n}\n";
    std::fs::write(&input, text).expect("written");
    let mut arguments = vec!["compile", arg(&input), "--rules", &pack, "--use", "mine"];
    arguments.extend(["--target", "x86_64-linux", "--emit", "llvm", "-o", arg(&output)]);
    relo_ok(&arguments);
    let compiled = std::fs::read_to_string(&output).expect("written");
    assert!(compiled.contains("@relo_mine_rt_true_"), "{compiled}");
    assert!(compiled.contains("@other = external"), "{compiled}");
    assert!(!compiled.contains("@mine_rt_true ="), "{compiled}");
}

#[test]
fn a_new_target_checks_and_compiles_wherever_a_shipped_one_does() {
    let folder = folder();
    let (library, _) = Library::new(&shipped_packs());
    for (_, like) in library.targets() {
        let name = format!("my_{}", like.name.replace('-', "_"));
        let pack = made(folder.path(), &[&name, "--target", &like.triple]);
        let input = folder.path().join("in.ll");
        let text = "define void @f(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n";
        std::fs::write(&input, text).expect("written");
        let output = folder.path().join("out.ll");
        let arguments = ["compile", arg(&input), "--rules", &pack, "--target", &name];
        relo_ok(&[&arguments[..], &["--emit", "llvm", "-o", arg(&output)]].concat());
        // The rule that it begins with is one of the target's.
        let own = "@own = internal thread_local global i32 1\ndefine ptr @f() {\n  ret ptr @own\n}\n";
        std::fs::write(&input, own).expect("written");
        let refused = relo(&[&arguments[..], &["--emit", "llvm", "-o", arg(&output)]].concat());
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("relo::rule::reject") && said.contains("a thread's own"), "{said}");
    }
}

#[test]
fn a_new_pack_takes_no_place() {
    let folder = folder();
    made(folder.path(), &["mine"]);
    let yaml = folder.path().join("mine/pack.yaml");
    std::fs::write(&yaml, "mine\n").expect("written");
    let core = shipped_packs()[0].yaml.name.split('/').next().expect("a folder").to_owned();
    for arguments in [
        &["mine"][..],
        &["Mine"],
        &["../mine"],
        &["1st"],
        &[""],
        &[&core],
        &["other", "--target", "pdp11-dec-unix"],
    ] {
        let output = relo(&[&["new"], arguments, &["--into", arg(folder.path())]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?} {said}");
        assert!(said.contains("relo::cli::"), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&yaml).expect("it is there"), "mine\n");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    assert_eq!(relo(&["new", "a", "--front-end", "--target", "x"]).status.code(), Some(2), "both");
}

/// A committed page is what the command prints; `INSTA_UPDATE=always` writes it.
pub fn up_to_date(path: &str, printed: &str) {
    let path = root().join(path);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, printed).expect("written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == printed, "{} is out of date: INSTA_UPDATE=always writes it", path.display());
}

#[test]
fn pages_are_up_to_date() {
    let (library, _) = Library::new(&shipped_packs());
    for pack in library.packs() {
        up_to_date(&format!("docs/packs/{}.md", pack.name), &relo_ok(&["doc", &pack.name]));
    }
    let pages = std::fs::read_dir(root().join("docs/packs")).expect("pages").count();
    assert_eq!(pages, library.packs().count(), "a page without its pack");
    up_to_date("docs/natives.md", &relo_ok(&["doc", "--natives"]));
}

#[test]
fn pages_for_programs_and_for_folders() {
    let folder = folder();
    relo_ok(&["doc", "--output", arg(folder.path())]);
    let (library, _) = Library::new(&shipped_packs());
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), library.packs().count());
    for arguments in [&["doc"][..], &["doc", "--natives"]] {
        for line in relo_ok(&[&["--format", "json"], arguments].concat()).lines() {
            let line: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
            assert!(line["page"].is_string() || line["doc"].is_string(), "{line}");
        }
    }
    let unknown = relo(&["doc", "nobody"]);
    assert_eq!(unknown.status.code(), Some(1));
}

#[test]
fn completions_know_every_subcommand() {
    let script = relo_ok(&["completions", "bash"]);
    for command in ["compile", "run", "inspect", "check", "fmt", "new", "doc", "explain", "rules", "targets"]
    {
        assert!(script.contains(&format!("relo,{command})")), "{command}");
    }
}
