//! Every code has a page, and every page is right: its wrong example is refused with this code and no other, its right
//! example is not refused at all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use relo_codegen::shipped_packs;
use relo_dialect::Checker;
use relo_engine::{Finding, Library, PackSource, Request, RuleSetError};
use relo_grammar::span::Source;
use relo_testkit::{render, root, snapshots};

use crate::support::{folder, relo, relo_ok};

/// A page of `docs/codes/`.
struct Page {
    code: String,
    text: String,
    wrong: Vec<Block>,
    right: Vec<Block>,
}

/// A block of code: what its fence says, and what stands in it.
struct Block {
    language: String,
    file: Option<String>,
    text: String,
}

fn pages() -> Vec<Page> {
    fn walk(folder: &Path, pages: &mut Vec<Page>) {
        for entry in std::fs::read_dir(folder).expect("pages are there").flatten() {
            if entry.path().is_dir() {
                walk(&entry.path(), pages);
            } else {
                pages.push(page(&entry.path()));
            }
        }
    }
    let mut pages = Vec::new();
    walk(&root().join("docs/codes"), &mut pages);
    pages.sort_by(|one, other| one.code.cmp(&other.code));
    pages
}

fn page(path: &Path) -> Page {
    let name = path.strip_prefix(root().join("docs/codes")).expect("it lies there").with_extension("");
    let code = format!("relo::{}", name.to_string_lossy().replace('/', "::"));
    let text = std::fs::read_to_string(path).expect("readable");
    let part = |title: &str| text.split(&format!("\n## {title}\n")).nth(1).unwrap_or_default();
    let wrong = blocks(part("Wrong").split("\n## ").next().unwrap_or_default());
    let right = blocks(part("Right"));
    Page { code, wrong, right, text: text.clone() }
}

fn blocks(text: &str) -> Vec<Block> {
    let fenced = text.split("```").skip(1).step_by(2);
    fenced
        .map(|block| {
            let (head, text) = block.split_once('\n').expect("a fence ends with its line");
            let (language, file) =
                head.split_once(' ').map_or((head, None), |(language, file)| (language, Some(file)));
            Block { language: language.to_owned(), file: file.map(str::to_owned), text: text.to_owned() }
        })
        .collect()
}

/// The codes that an example gives: of the command's last line where it has one, of the checker otherwise. What the
/// checker says of a wrong one is a snapshot, named after its page.
fn codes(blocks: &[Block], snapshot: Option<&str>) -> BTreeSet<String> {
    let text = |language: &str| {
        blocks.iter().find(|block| block.language == language).map(|block| block.text.as_str())
    };
    let yaml = text("yaml").unwrap_or("pack: example\nuses: [core]\nactive: request\n");
    let rules = text("relo").unwrap_or("phase lift\n");
    match text("console") {
        None => {
            let findings = checked(yaml, rules);
            if let Some(name) = snapshot {
                let said = findings.iter().map(|finding| render(finding)).collect::<Vec<_>>().join("\n");
                snapshots("diagnostics", || insta::assert_snapshot!(name.replace("::", "."), said));
            }
            findings.iter().map(|finding| finding.code.to_owned()).collect()
        }
        Some(lines) => {
            let folder = folder();
            let write = |path: PathBuf, text: &str| std::fs::write(path, text).expect("written");
            std::fs::create_dir(folder.path().join("example")).expect("made");
            write(folder.path().join("example/pack.yaml"), yaml);
            write(folder.path().join("example/rules.relo"), rules);
            for block in blocks {
                if let Some(file) = &block.file {
                    write(folder.path().join(file), &block.text);
                }
            }
            commanded(lines, folder.path())
        }
    }
}

thread_local! {
    /// What it found out about the shipped packs it need not find out again.
    static CHECKER: Checker = Checker::default();
}

/// What the checker finds in a pack.
fn checked(yaml: &str, rules: &str) -> Vec<Finding> {
    let mut packs = shipped_packs();
    packs.push(PackSource {
        yaml: Source::new("example/pack.yaml", yaml),
        files: vec![Source::new("example/rules.relo", rules)],
    });
    let (library, mut findings) = Library::new(&packs);
    let own = library.pack("example").map(|pack| pack.targets.keys().cloned().collect::<Vec<_>>());
    for target in own.unwrap_or_default().into_iter().chain(["x86_64-linux".to_owned()]) {
        let packs = library.pack("example").map(|pack| pack.name.clone()).into_iter().collect();
        let request = Request { target, packs, placeholders: true, ..Request::default() };
        match CHECKER.with(|checker| checker.rules(&library, &request)) {
            Ok((_, warnings)) => findings.extend(warnings),
            Err(RuleSetError::Findings { findings: found, .. }) => findings.extend(found),
            Err(error) => panic!("{error}"),
        }
    }
    findings.dedup();
    findings
}

/// Runs the lines of a console; all but the last succeed.
fn commanded(lines: &str, folder: &Path) -> BTreeSet<String> {
    let lines: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let mut codes = BTreeSet::new();
    for (index, line) in lines.iter().enumerate() {
        let words = words(line);
        let (command, arguments) = words.split_first().expect("a command");
        let mut command = match command.as_str() {
            "relo" => Command::new(env!("CARGO_BIN_EXE_relo")),
            "cp" => Command::new("cp"),
            other => panic!("`{other}` is no command of a page"),
        };
        if words[0] == "relo" {
            command.args(["--format", "json"]);
        }
        let output = command.current_dir(folder).args(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if index + 1 < lines.len() {
            assert!(output.status.success(), "{line}: {said}");
            continue;
        }
        for diagnostic in said.lines().filter(|line| line.starts_with('{')) {
            collect(&serde_json::from_str(diagnostic).expect("one JSON object a line"), &mut codes);
        }
        assert_eq!(output.status.success(), !said.contains("\"severity\": \"error\""), "{line}: {said}");
    }
    codes
}

/// A line's words, those in quotes with their spaces.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn collect(diagnostic: &serde_json::Value, codes: &mut BTreeSet<String>) {
    let related = diagnostic["related"].as_array().cloned().unwrap_or_default();
    if related.is_empty() {
        codes.insert(diagnostic["code"].as_str().expect("every diagnostic has a code").to_owned());
    }
    related.iter().for_each(|inner| collect(inner, codes));
}

/// What only a whole set of rules can be asked: an example is a piece of one, so that these count on their own pages only.
const TOGETHER: [&str; 5] = ["uncovered", "shadowed", "dropped_field", "endless", "overlap"];

/// The codes that a page's example answers for.
fn answered(mut codes: BTreeSet<String>, page: &str) -> BTreeSet<String> {
    codes.retain(|code| code == page || !TOGETHER.iter().any(|name| *code == format!("relo::check::{name}")));
    codes
}

#[test]
fn every_page_is_right() {
    let mut mistakes = Vec::new();
    for page in pages() {
        assert!(page.text.starts_with("# "), "{} has no heading", page.code);
        if page.wrong.is_empty() {
            let says = page.text.contains("There is no example: ") || page.text.contains("a code of its own");
            assert!(says, "{} has no example, and does not say why", page.code);
            continue;
        }
        let wrong = answered(codes(&page.wrong, page.code.strip_prefix("relo::")), &page.code);
        if wrong != BTreeSet::from([page.code.clone()]) {
            mistakes.push(format!("{}: the wrong example gives {wrong:?}", page.code));
        }
        assert!(!page.right.is_empty(), "{} has no right example", page.code);
        let right = answered(codes(&page.right, None), &page.code);
        if !right.is_empty() {
            mistakes.push(format!("{}: the right example gives {right:?}", page.code));
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn every_code_has_a_page() {
    fn walk(folder: &Path, codes: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a source folder").flatten() {
            if entry.path().is_dir() {
                walk(&entry.path(), codes);
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for rest in text.split("\"relo::").skip(1) {
                let code = rest.split('"').next().unwrap_or_default();
                if code.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == ':') {
                    codes.insert(format!("relo::{}", code.trim_end_matches(':')));
                }
            }
        }
    }
    let mut codes = BTreeSet::new();
    for name in
        ["referent", "grammar", "engine", "dialect", "codegen", "trial", "loader", "cache", "capi", "cli"]
    {
        walk(&root().join(name).join("src"), &mut codes);
    }
    codes.remove("relo::");
    let pages: BTreeSet<String> = pages().into_iter().map(|page| page.code).collect();
    let missing: Vec<&String> = codes.difference(&pages).collect();
    assert!(missing.is_empty(), "no page in docs/codes for {missing:?}");
    let left: Vec<&String> = pages.difference(&codes).collect();
    assert!(left.is_empty(), "nothing gives {left:?}");
}

#[test]
fn codes_are_found_by_their_names() {
    let whole = relo_ok(&["explain", "relo::check::unused_capture"]);
    assert_eq!(whole, relo_ok(&["explain", "check::unused_capture"]));
    assert_eq!(whole, relo_ok(&["explain", "unused_capture"]));
    assert!(whole.contains("## Wrong") && whole.contains("## Right"), "{whole}");
    let list = relo_ok(&["explain"]);
    assert_eq!(list.lines().count(), pages().len(), "{list}");
    let json = relo_ok(&["--format", "json", "explain"]);
    for line in json.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("one JSON object a line");
        assert!(line["code"].is_string() && line["summary"].is_string());
    }
    let said = |code: &str| {
        let output = relo(&["explain", code]);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said("check::unused_captrue").contains("did you mean `relo::check::unused_capture`?"));
    assert!(said("unknown_parameter").contains("relo::pack::unknown_parameter"));
}
