//! Rules that match and set enumerators and flags, however MLIR keeps them: as integers, as attributes of a dialect, as
//! properties that are no attributes.

use relo_dialect::{Context, Module, OdsSchema, Patterns, Surroundings, natives, run, signatures};
use relo_engine::normal::Phase;
use relo_engine::{Library, PackSource, Request, RuleSet};
use relo_grammar::span::Source;
use relo_referent::SessionTable;
use relo_testkit::{packs, render, snapshots};

const RULES: &str = r#"
pack example
phase fold

rule property_matched_and_set {
    match   { %r = llvm.getelementptr %b, %i { noWrapFlags = inbounds, ..$rest } : $T }
    rewrite { %r = llvm.getelementptr %b, %i { noWrapFlags = "inbounds|nuw", ..$rest } : $T }
}

rule property_set {
    match   { %r = llvm.sub %x, %y : $T }
    rewrite { %r = llvm.add %x, %y { overflowFlags = nsw } : $T }
}

rule property_carried {
    match   { %r = llvm.mul %x, %y { ..$rest } : $T }
    rewrite { %r = llvm.shl %x, %y { ..$rest } : $T }
}

rule flags_of_a_dialect {
    match   { %r = llvm.fadd %x, %y { fastmathFlags = "nnan, ninf" } : $T }
    rewrite { %r = llvm.fmul %x, %y { fastmathFlags = "nsz, contract" } : $T }
}

rule integer {
    match   { %r = llvm.icmp %x, %y { predicate = ult } : $T }
    rewrite { %r = llvm.icmp %y, %x { predicate = ugt } : $T }
}

rule boolean {
    match   { %r = llvm.udiv %x, %_y : $T }
    rewrite { %r = llvm.intr.abs %x { is_int_min_poison = true } : $T }
}
"#;

const INPUT: &str = r#"
llvm.func @f(%p: !llvm.ptr, %a: i64, %f: f32) {
  %0 = llvm.getelementptr inbounds %p[%a] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %1 = llvm.getelementptr nuw %p[%a] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %2 = llvm.sub %a, %a : i64
  %3 = llvm.mul %a, %a overflow<nsw, nuw> : i64
  %4 = llvm.fadd %f, %f {fastmathFlags = #llvm.fastmath<ninf, nnan>} : f32
  %5 = llvm.fadd %f, %f {fastmathFlags = #llvm.fastmath<nnan>} : f32
  %6 = llvm.icmp "ult" %a, %2 : i64
  %7 = llvm.icmp "ule" %a, %2 : i64
  %8 = llvm.udiv %a, %a : i64
  llvm.return
}
"#;

#[test]
fn enumerators_are_matched_and_set() {
    let yaml = Source::new("example/pack.yaml", "pack: example\nuses: [core]\nactive: request\n");
    let mut all = packs();
    all.push(PackSource { yaml, files: vec![Source::new("example/rules.relo", RULES)] });
    let (library, findings) = Library::new(&all);
    assert!(findings.is_empty(), "{}", findings.iter().map(|finding| render(finding)).collect::<String>());
    let request =
        Request { target: "x86_64-linux".into(), packs: vec!["example".into()], ..Request::default() };
    let (rules, _) = RuleSet::new(&library, &request, &signatures(), &OdsSchema)
        .unwrap_or_else(|error| panic!("{}", render(&error)));
    let context = Context::new();
    let mut module = Module::parse(&context, INPUT.as_bytes(), "input").expect("it is MLIR");
    let patterns = Patterns::new(&context, Phase::Fold, rules.phase(Phase::Fold))
        .unwrap_or_else(|error| panic!("{}", render(&error)));
    let session = SessionTable::default();
    let surroundings = Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives };
    let outcome = run(&mut module, &patterns, &surroundings, false)
        .unwrap_or_else(|error| panic!("{}", render(&error)));
    let fired: Vec<(&str, usize)> = outcome
        .fired
        .iter()
        .filter(|(rule, _)| rule.starts_with("example."))
        .map(|(rule, (_, times))| (rule.as_str(), *times))
        .collect();
    let expected = [
        ("example.boolean", 1),
        ("example.flags_of_a_dialect", 1),
        ("example.integer", 1),
        ("example.property_carried", 1),
        ("example.property_matched_and_set", 1),
        ("example.property_set", 1),
    ];
    assert_eq!(fired, expected);
    snapshots("schema", || insta::assert_snapshot!("enumerators", module.text()));
}
