//! A program that uses relo as a library adds a native of its own.

use relo_dialect::{
    Checker, Context, DialectError, MlirHost, Module, Patterns, Surroundings, interpret, natives, run,
};
use relo_engine::normal::Phase;
use relo_engine::{Datum, Host, Kind, Library, Native, Natives, PackSource, Request, RuleSet};
use relo_grammar::span::Source;
use relo_referent::SessionTable;

/// relo's natives, and one that looks at the module through what any host offers.
fn with_mine<'h>(all: &mut Natives<MlirHost<'h>>) {
    natives(all);
    all.add(Native::pure(
        "loads_of",
        &[("pointer", Kind::Value)],
        &[Kind::Str],
        "The name of the operation that a pointer comes from.",
        |host: &mut MlirHost<'h>, arguments: &[Datum]| {
            let [Datum::Value(pointer)] = arguments else { return None };
            Some(vec![Datum::Str(host.operation_name(host.definition(*pointer)?))])
        },
    ));
}

const RULES: &str = r#"
pack t
phase lift
rule mine {
    match   { %w = llvm.load %p : $T }
    where   { loads_of(%p) == "llvm.alloca" }
    rewrite { %w = llvm.mlir.zero : $T }
}
"#;

const MODULE: &str = "llvm.func @f(%p: !llvm.ptr, %n: i64) -> i64 {
  %a = llvm.alloca %n x i64 : (i64) -> !llvm.ptr
  %x = llvm.load %a : !llvm.ptr -> i64
  %y = llvm.load %p : !llvm.ptr -> i64
  %z = llvm.add %x, %y : i64
  llvm.return %z : i64
}";

fn rules() -> RuleSet {
    let yaml = "pack: t\ntargets:\n  x:\n    triple: x86_64-unknown-linux-gnu\n    emit: object\n    strategies: []\n";
    let pack =
        PackSource { yaml: Source::new("t/pack.yaml", yaml), files: vec![Source::new("t.relo", RULES)] };
    let (library, findings) = Library::new(&[pack]);
    assert!(findings.is_empty(), "{findings:#?}");
    let request = Request { target: "x".into(), ..Request::default() };
    let (rules, _) = Checker::new(with_mine).rules(&library, &request).expect("it is right");
    rules
}

#[test]
fn rules_call_it_either_way() {
    let (rules, context, session) = (rules(), Context::new(), SessionTable::default());
    let rules = rules.phase(Phase::Lift);
    let surroundings =
        Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives: with_mine };
    let parse = || Module::parse(&context, MODULE.as_bytes(), "module").expect("it is right");
    let mut patterned = parse();
    let patterns = Patterns::new(&context, Phase::Lift, rules).expect("it compiles");
    run(&mut patterned, &patterns, &surroundings, false).expect("it runs");
    let mut interpreted = parse();
    interpret(&mut interpreted, Phase::Lift, rules, &surroundings, false, &mut |_, _| ()).expect("it runs");
    assert_eq!(patterned.text(), interpreted.text());
    assert_eq!(patterned.text().matches("llvm.load").count(), 1, "{}", patterned.text());
    assert!(patterned.text().contains("llvm.mlir.zero"), "{}", patterned.text());
}

#[test]
fn rules_do_not_run_without_it() {
    let (rules, context, session) = (rules(), Context::new(), SessionTable::default());
    let rules = rules.phase(Phase::Lift);
    let surroundings = Surroundings { session: &session, word_width: 64, resolve: &|_| None, natives };
    let mut module = Module::parse(&context, MODULE.as_bytes(), "module").expect("it is right");
    let patterns = Patterns::new(&context, Phase::Lift, rules).expect("it compiles");
    let missing = |result: Result<_, DialectError>| matches!(result, Err(DialectError::Native { native, .. }) if native == "loads_of");
    assert!(missing(run(&mut module, &patterns, &surroundings, false)));
    let ran = interpret(&mut module, Phase::Lift, rules, &surroundings, false, &mut |_, _| ());
    assert!(missing(ran));
    assert!(!module.text().contains("llvm.mlir.zero"), "{}", module.text());
}
