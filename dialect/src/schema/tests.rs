//! The schema against MLIR itself: its tools read and print what the schema says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use relo_testkit::{root, snapshots};

use super::*;

/// Runs one of MLIR's tools on a text.
fn tool(name: &str, arguments: &[&str], input: &str) -> String {
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or("/usr/lib/llvm-22".into());
    let mut child = Command::new(Path::new(&prefix).join("bin").join(name))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool is installed");
    let mut stdin = child.stdin.take().expect("it is piped");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()));
        child.wait_with_output().expect("the tool runs")
    });
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("MLIR is text")
}

#[test]
fn facts() {
    let names = [
        "builtin.module",
        "llvm.add",
        "llvm.atomicrmw",
        "llvm.call",
        "llvm.cond_br",
        "llvm.func",
        "llvm.getelementptr",
        "llvm.icmp",
        "llvm.inline_asm",
        "llvm.intr.memcpy",
        "llvm.load",
        "llvm.mlir.addressof",
        "llvm.mlir.global",
        "llvm.store",
        "nvvm.shfl.sync",
        "rocdl.workitem.id.x",
        "reloc.address",
        "reloc.load",
        "reloc.record",
        "reloc.slot",
    ];
    let mut text = String::new();
    for name in names {
        describe(name, &mut text);
    }
    snapshots("schema", || insta::assert_snapshot!("facts", text));
}

/// `name?` is optional, `name*` variadic, `name=` has a default.
fn describe(name: &str, text: &mut String) {
    let facts = OdsSchema.operation(name).expect("it exists");
    let list = |list: &[(String, Presence)]| {
        let marked = |(name, presence): &(String, Presence)| match presence {
            Presence::Required => name.clone(),
            Presence::Optional => format!("{name}?"),
            Presence::Variadic => format!("{name}*"),
        };
        list.iter().map(marked).collect::<Vec<_>>().join(", ")
    };
    let has = [
        ("regions", facts.regions),
        ("successors", facts.successors),
        ("symbol", facts.symbol),
        ("segments", OdsSchema.has_segments(name)),
    ];
    let has: String = has.iter().filter(|(_, has)| *has).map(|(what, _)| format!(", {what}")).collect();
    let _ = writeln!(text, "{name}({}) -> ({}){has}", list(&facts.operands), list(&facts.results));
    for attribute in &facts.attributes {
        let mark = match attribute.presence {
            Presence::Required => "",
            Presence::Optional => "?",
            Presence::Variadic => "=",
        };
        let _ = write!(text, "    {}{mark} {}", attribute.name, attribute.constraint);
        if let Some(first) = attribute.cases.first() {
            let encoding = OdsSchema.encoding(name, &attribute.name).expect("it has enumerators");
            let first = encoding.encode(first).expect("it is one of them");
            let shown = attribute.cases.iter().take(12).map(|case| format!("{case:?}"));
            let more = if attribute.cases.len() > 12 { ", …" } else { "" };
            let shown = shown.collect::<Vec<_>>().join(", ");
            let _ = write!(text, ", {} like {first}: {shown}{more}", attribute.cases.len());
        }
        text.push('\n');
    }
}

#[test]
fn names_are_sorted_and_found() {
    let names = OdsSchema.names();
    assert!(names.is_sorted() && names.iter().collect::<BTreeSet<_>>().len() == names.len());
    assert!(names.iter().all(|name| OdsSchema.operation(name).is_some()));
    assert_eq!(OdsSchema.operation("llvm.lod"), None);
    assert_eq!(OdsSchema.encoding("llvm.load", "alignment"), None);
    assert_eq!(OdsSchema.encoding("llvm.icmp", "predicat"), None);
}

#[test]
fn symbols_are_known() {
    let symbols: Vec<&str> =
        OPERATIONS.iter().filter(|operation| operation.symbol).map(|operation| operation.name).collect();
    let expected = [
        "builtin.module",
        "llvm.comdat",
        "llvm.comdat_selector",
        "llvm.func",
        "llvm.mlir.alias",
        "llvm.mlir.global",
        "llvm.mlir.ifunc",
        "reloc.record",
        "reloc.slot",
    ];
    assert_eq!(symbols, expected);
    let of = |name: &str| OdsSchema.operation(name).expect("it exists").symbol_attribute().map(str::to_owned);
    assert_eq!(of("reloc.load").as_deref(), Some("slot"));
    assert_eq!(of("llvm.mlir.addressof").as_deref(), Some("global_name"));
    assert_eq!(of("llvm.call").as_deref(), Some("callee"));
    assert_eq!(of("llvm.func").as_deref(), Some("sym_name"));
}

/// All encodings with an attribute that has each.
fn encodings() -> impl Iterator<Item = (&'static str, &'static str, &'static Encoding)> {
    OPERATIONS.iter().flat_map(|operation| {
        let encoded = operation.attributes.iter();
        encoded.filter_map(|attribute| Some((operation.name, attribute.name, attribute.encoding?)))
    })
}

#[test]
fn encoding_and_decoding_are_inverse() {
    let mut count = 0;
    for (operation, attribute, encoding) in encodings() {
        assert_eq!(encoding.encode("no such enumerator"), None);
        assert_eq!(encoding.decode("\"no such attribute\""), None);
        for case in encoding.cases() {
            let text = encoding.encode(&case).expect("it is an enumerator");
            assert_eq!(encoding.decode(&text), Some(case.as_str()), "{operation} {attribute} {text}");
            count += 1;
        }
    }
    assert!(count > 1000);
    let predicate = OdsSchema.encoding("llvm.icmp", "predicate").expect("it is an enumeration");
    assert_eq!(predicate.decode("6 : i64"), Some("ult"));
    assert_eq!(predicate.decode("6 : i32"), None);
    assert_eq!(predicate.decode("99 : i64"), None);
    let linkage = OdsSchema.encoding("llvm.mlir.global", "linkage").expect("it is an enumeration");
    assert_eq!(linkage.encode("weak_odr").as_deref(), Some("#llvm.linkage<weak_odr>"));
    assert_eq!(linkage.decode("#llvm.cconv<weak_odr>"), None);
}

#[test]
fn mlir_reads_and_prints_every_dialect_enumerator() {
    let spelled: BTreeSet<String> = encodings()
        .filter(|(_, _, encoding)| matches!(encoding, Encoding::Dialect { .. }))
        .flat_map(|(_, _, encoding)| encoding.cases().into_iter().filter_map(|case| encoding.encode(&case)))
        .collect();
    assert!(spelled.len() > 300);
    let lines: Vec<String> =
        spelled.iter().map(|text| format!("  \"test.enumerator\"() {{of = {text}}} : () -> ()")).collect();
    let printed = tool("mlir-opt", &["--allow-unregistered-dialect"], &lines.join("\n"));
    let printed: Vec<&str> = printed.lines().filter(|line| line.contains("test.enumerator")).collect();
    assert_eq!(printed, lines);
}

/// Operations to try enumerators on: operands, what else is required, and the type.
const TRIED: [(&str, &str, &str, &str); 24] = [
    ("llvm.add", "%i, %i", "", "(i64, i64) -> i64"),
    ("llvm.sub", "%i, %i", "", "(i64, i64) -> i64"),
    ("llvm.mul", "%i, %i", "", "(i64, i64) -> i64"),
    ("llvm.shl", "%i, %i", "", "(i64, i64) -> i64"),
    ("llvm.trunc", "%i", "", "(i64) -> i32"),
    ("llvm.fadd", "%f, %f", "", "(f32, f32) -> f32"),
    ("llvm.atomicrmw", "%p, %i", "", "(!llvm.ptr, i64) -> i64"),
    (
        "llvm.call",
        "",
        "callee = @all, op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 0, 0>",
        "() -> ()",
    ),
    ("llvm.cmpxchg", "%p, %i, %i", "", "(!llvm.ptr, i64, i64) -> !llvm.struct<(i64, i1)>"),
    ("llvm.fcmp", "%f, %f", "", "(f32, f32) -> i1"),
    ("llvm.fence", "", "", "() -> ()"),
    (
        "llvm.getelementptr",
        "%p",
        "elem_type = i8, rawConstantIndices = array<i32: 1>",
        "(!llvm.ptr) -> !llvm.ptr",
    ),
    ("llvm.icmp", "%i, %i", "", "(i64, i64) -> i1"),
    ("llvm.inline_asm", "", "asm_string = \"\", constraints = \"\"", "() -> ()"),
    ("llvm.load", "%p", "", "(!llvm.ptr) -> i64"),
    ("llvm.store", "%i, %p", "", "(i64, !llvm.ptr) -> ()"),
    ("llvm.intr.experimental.constrained.sitofp", "%i", "", "(i64) -> f32"),
    ("nvvm.redux.sync", "%w, %w", "", "(i32, i32) -> i32"),
    ("nvvm.shfl.sync", "%w, %w, %w, %w", "", "(i32, i32, i32, i32) -> i32"),
    ("llvm.mlir.global", "", "global_type = i64", "() -> ()"),
    ("llvm.mlir.alias", "", "alias_type = i64", "() -> ()"),
    ("llvm.mlir.ifunc", "", "i_func_type = i64, resolver = @r, resolver_type = !llvm.ptr", "() -> ()"),
    ("llvm.func", "", "function_type = !llvm.func<void ()>", "() -> ()"),
    ("llvm.comdat_selector", "", "", "() -> ()"),
];

/// Each enumerator of each attribute of those operations goes through MLIR: its generic form has to have the very
/// encoding, and its pretty form the name. The snapshot lists what the pretty form leaves out.
#[test]
fn mlir_agrees_on_encodings_and_names() {
    let (mut inside, mut outside, mut expected) = (String::new(), String::new(), Vec::new());
    for (operation, operands, others, ty) in TRIED {
        let facts = OdsSchema.operation(operation).expect("it exists");
        for attribute in &facts.attributes {
            for case in &attribute.cases {
                let id = format!("t{}", expected.len());
                let mut attributes: Vec<String> = facts
                    .attributes
                    .iter()
                    .filter(|one| one.presence == Presence::Required || one.name == attribute.name)
                    .filter_map(|one| {
                        let case = if one.name == attribute.name { case } else { one.cases.first()? };
                        let text = OdsSchema.encoding(operation, &one.name)?.encode(case)?;
                        Some(format!("{} = {text}", one.name))
                    })
                    .collect();
                let wanted =
                    attributes.iter().find(|text| text.starts_with(&format!("{} = ", attribute.name)));
                expected.push((id.clone(), operation, wanted.expect("it is there").clone(), case.clone()));
                attributes.extend((!others.is_empty()).then(|| others.to_owned()));
                attributes.extend(facts.symbol.then(|| format!("sym_name = \"{id}\"")));
                let regions = match (facts.regions, operation) {
                    (false, _) => "",
                    (true, "llvm.mlir.alias") => {
                        "({ %0 = \"llvm.mlir.zero\"() : () -> !llvm.ptr \"llvm.return\"(%0) : (!llvm.ptr) -> () })"
                    }
                    (true, _) => "({})",
                };
                let tag = if facts.symbol { String::new() } else { format!("{{test.id = \"{id}\"}}") };
                let attributes = attributes.join(", ");
                let place = if facts.symbol { &mut outside } else { &mut inside };
                let result = if ty.ends_with("()") { String::new() } else { format!("%{id} = ") };
                let _ = writeln!(
                    place,
                    "{result}\"{operation}\"({operands}) <{{{attributes}}}> {regions} {tag} : {ty}"
                );
            }
        }
    }
    let module = format!(
        "\"builtin.module\"() ({{\n{outside}\"llvm.func\"() <{{sym_name = \"all\", CConv = #llvm.cconv<ccc>, \
         linkage = #llvm.linkage<external>, function_type = !llvm.func<void (ptr, i64, f32, i32)>}}> ({{\n\
         ^entry(%p: !llvm.ptr, %i: i64, %f: f32, %w: i32):\n{inside}\"llvm.return\"() : () -> ()\n}}) : () -> ()\n\
         }}) : () -> ()\n"
    );
    // Not every ordering suits every operation: it is the spelling that counts here.
    let lenient = [
        "--allow-unregistered-dialect",
        "--mlir-very-unsafe-disable-verifier-on-parsing",
        "--verify-each=false",
        "--mlir-print-assume-verified",
    ];
    let generic = tool("mlir-opt", &[&lenient[..], &["--mlir-print-op-generic"]].concat(), &module);
    let pretty = tool("mlir-opt", &lenient, &module);
    let line_of = |text: &str, id: &str| {
        let mut lines = text.lines().filter(|line| word_in(line, id));
        lines.next().unwrap_or_else(|| panic!("{id} is not there")).to_owned()
    };
    let mut left_out = String::new();
    for (id, operation, wanted, case) in &expected {
        let line = line_of(&generic, id);
        let found = line.contains(&format!("{wanted}, ")) || line.contains(&format!("{wanted}}}>"));
        assert!(found, "{operation}: `{wanted}` for `{case}` is not in {line}");
        if case.is_empty() || !word_in(&line_of(&pretty, id), case) {
            let _ = writeln!(left_out, "{operation} {wanted} // {case}");
        }
    }
    assert!(expected.len() > 500);
    snapshots("schema", || insta::assert_snapshot!("left_out", left_out));
}

/// Whether a text has a word, or several in that order, between other characters than a word's.
fn word_in(text: &str, word: &str) -> bool {
    let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(word).any(|(at, _)| {
        !part_of_word(text[..at].chars().next_back()) && !part_of_word(text[at + word.len()..].chars().next())
    })
}

#[test]
fn properties_are_the_flags() {
    let properties: Vec<(&str, &str)> = OPERATIONS
        .iter()
        .flat_map(|operation| {
            operation.attributes.iter().map(move |attribute| (operation.name, attribute.name))
        })
        .filter(|(operation, attribute)| OdsSchema.is_property(operation, attribute))
        .collect();
    let expected = [
        ("llvm.add", "overflowFlags"),
        ("llvm.getelementptr", "noWrapFlags"),
        ("llvm.mul", "overflowFlags"),
        ("llvm.shl", "overflowFlags"),
        ("llvm.sub", "overflowFlags"),
        ("llvm.trunc", "overflowFlags"),
    ];
    assert_eq!(properties, expected);
}

/// Real code of several compilers: each operation and each of its own attributes is in the schema.
#[test]
fn corpus_is_known() {
    let mut files = Vec::new();
    collect(&root().join("examples/corpus"), &mut files);
    files.sort();
    assert!(files.len() > 50);
    let (mut operations, mut attributes) = (BTreeSet::new(), BTreeSet::new());
    std::thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(4));
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().flat_map(|file| known_in(file)).collect()))
            .collect();
        for part in parts {
            let part: Vec<(String, Vec<String>)> = part.join().expect("nothing is unknown");
            for (operation, own) in part {
                attributes.extend(own.into_iter().map(|attribute| format!("{operation} {attribute}")));
                operations.insert(operation);
            }
        }
    });
    // What was found is not nothing: the scanner below sees what MLIR prints.
    assert!(operations.len() >= 40, "{operations:?}");
    assert!(attributes.len() >= 80, "{attributes:?}");
    assert!(
        attributes.contains("llvm.getelementptr noWrapFlags") && attributes.contains("llvm.func linkage")
    );
}

/// The operations of a file, with their own attributes, all of them known.
fn known_in(file: &Path) -> Vec<(String, Vec<String>)> {
    let arguments = ["--import-llvm", "--mlir-print-op-generic", &file.to_string_lossy()];
    let generic = tool("mlir-translate", &arguments, "");
    let mut found = Vec::new();
    for (name, own) in generic.lines().filter_map(operation_in) {
        let facts = OdsSchema.operation(name);
        let facts = facts.unwrap_or_else(|| panic!("{}: `{name}` is not known", file.display()));
        for attribute in &own {
            let segments = *attribute == "operandSegmentSizes" && OdsSchema.has_segments(name);
            let known = segments || facts.attribute(attribute).is_some();
            assert!(known, "{}: `{name}` has `{attribute}`", file.display());
        }
        found.push((name.to_owned(), own.into_iter().map(str::to_owned).collect()));
    }
    found
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ll" || extension == "bc") {
            files.push(path);
        }
    }
}

/// The operation of a line in generic form, and its own attributes: the names between `<{` and `}>`.
fn operation_in(line: &str) -> Option<(&str, Vec<&str>)> {
    let start = line.trim_start();
    let start = if start.starts_with('%') { start.split_once(" = ")?.1 } else { start };
    let (name, rest) = start.strip_prefix('"')?.split_once("\"(")?;
    let mut names = Vec::new();
    let own = rest.split_once(") <{").filter(|(operands, _)| !operands.contains('"')).map(|(_, own)| own);
    if let Some(own) = own {
        let (mut depth, mut quoted, mut from) = (0, false, 0);
        let mut previous = ' ';
        for (at, c) in own.char_indices() {
            match c {
                '"' if previous != '\\' => quoted = !quoted,
                _ if quoted => {}
                // The arrow of a function type closes nothing.
                '>' if previous == '-' => {}
                '(' | '[' | '{' | '<' => depth += 1,
                '}' if depth == 0 => {
                    names.push(&own[from..at]);
                    break;
                }
                ')' | ']' | '}' | '>' => depth -= 1,
                ',' if depth == 0 => {
                    names.push(&own[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
            previous = if previous == '\\' { ' ' } else { c };
        }
    }
    let names = names.into_iter().map(|text| text.split(" = ").next().unwrap_or(text).trim());
    Some((name, names.collect()))
}
