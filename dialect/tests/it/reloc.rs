//! The dialect by itself: assembly, bytecode, verifiers, MLIR's own passes, LLVM IR.

use relo_dialect::{Context, Module};
use relo_testkit::{cases, render, root, snapshots};

use crate::llvm_ir::Llvm;

fn folder(name: &str) -> std::path::PathBuf {
    root().join("dialect/tests/cases").join(name)
}

#[test]
fn assembly_and_bytecode_round_trip() {
    let context = Context::new();
    for case in cases(&folder("ok"), "mlir") {
        let module = match Module::parse(&context, case.text.as_bytes(), &case.name) {
            Ok(module) => module,
            Err(error) => panic!("{}", render(&error)),
        };
        module.verify("as parsed").expect("it is valid");
        let text = module.text();
        let again = Module::parse(&context, text.as_bytes(), "again").expect("what is printed parses");
        assert_eq!(again.text(), text);
        let bytes = Module::parse(&context, &module.bytecode(), "bytecode").expect("bytecode parses");
        assert_eq!(bytes.text(), text);
        snapshots("dialect", || insta::assert_snapshot!(case.name.clone(), text));
    }
}

#[test]
fn invalid_modules_are_refused() {
    let context = Context::new();
    for case in cases(&folder("invalid"), "mlir") {
        let error = Module::parse(&context, case.text.as_bytes(), &case.name).err();
        let error = error.unwrap_or_else(|| panic!("{} is accepted", case.name));
        snapshots("dialect/invalid", || insta::assert_snapshot!(case.name.clone(), render(&error)));
    }
}

#[test]
fn passes_of_mlir_work_on_it() {
    let context = Context::new();
    for case in cases(&folder("passes"), "mlir") {
        let mut module = Module::parse(&context, case.text.as_bytes(), &case.name).expect("it is valid");
        module.run_pass("builtin.module(inline,cse,canonicalize,sccp,symbol-dce)").expect("they run");
        module.verify("after MLIR's passes").expect("it is valid");
        let text = module.text();
        let twice = text.split("@twice").nth(1).expect("it is public, so that it stays");
        assert_eq!(twice.matches("reloc.load").count(), 1, "equal loads are one, unused ones none\n{text}");
        assert!(!twice.contains("llvm.call"), "what loads a word is inlined\n{text}");
        assert!(!text.contains("@unused"), "an unused private slot goes\n{text}");
        snapshots("dialect", || insta::assert_snapshot!(format!("passes_{}", case.name), text));
    }
}

/// Each of MLIR's passes by itself: what it may do with a word, it does, and no more. The head of a case says how often
/// what is left.
#[test]
fn each_pass_leaves_the_words_that_are_used() {
    let all = cases(&folder("each_pass"), "mlir");
    assert_eq!(all.len(), 7);
    for case in all {
        let context = Context::new();
        // SAFETY: the context is alive.
        unsafe {
            use mlir_sys::*;
            for dialect in [
                mlirGetDialectHandle__func__(),
                mlirGetDialectHandle__scf__(),
                mlirGetDialectHandle__arith__(),
            ] {
                mlirDialectHandleLoadDialect(dialect, context.melior().to_raw());
            }
        }
        let mut module = Module::parse(&context, case.text.as_bytes(), &case.name).expect("it is valid");
        module.run_pass(case.get("pass").expect("a pass")).expect("it runs");
        module.verify("after the pass").expect("it is valid");
        let text = module.text();
        for left in case.all("left") {
            let (count, what) = left.split_once(' ').expect("how often what");
            assert_eq!(text.matches(what).count().to_string(), count, "{}: {what}\n{text}", case.name);
        }
        if case.name == "loop_invariant_code_motion" {
            assert!(text.find("reloc.load") < text.find("scf.for"), "{text}");
        }
        snapshots("dialect/passes", || insta::assert_snapshot!(case.name.clone(), text));
    }
}

#[test]
fn garbage_is_refused() {
    let context = Context::new();
    let module =
        Module::parse(&context, b"reloc.slot @s : i64 -> #reloc.symbol<\"a\">", "good").expect("it is valid");
    let bytecode = module.bytecode();
    for end in 0..bytecode.len() {
        assert!(Module::parse(&context, &bytecode[..end], "truncated").is_err() || end == 0, "{end} bytes");
    }
    assert!(Module::parse(&context, b"\0\0\0", "zeros").is_err());
}

#[test]
fn initialisers_stay_whole() {
    let context = Context::new();
    let text =
        std::fs::read_to_string(root().join("dialect/tests/cases/initialisers.mlir")).expect("it is there");
    let mut module = Module::parse(&context, text.as_bytes(), "initialisers").expect("it is valid");
    module.run_pass("builtin.module(canonicalize,cse)").expect("they run");
    module.verify("after MLIR's passes").expect("it is valid");
    let text = module.text();
    for line in text.lines().filter(|line| line.contains("llvm.mlir.constant")) {
        assert!(line.starts_with("    "), "a constant has left its record\n{text}");
    }
    snapshots("dialect", || insta::assert_snapshot!("initialisers", text));
}

#[test]
fn what_mlir_cannot_read_is_refused_before_it_tries() {
    let context = Context::new();
    for (name, text) in [
        ("attributes", format!("module attributes {{a.b = {}}} {{}}", "[".repeat(100_000))),
        ("modules", "module {\n".repeat(100_000)),
        ("types", format!("llvm.mlir.global external @g() : {}", "!llvm.array<1 x ".repeat(100_000))),
        ("nul", "llvm.func @f()\0llvm.func @g()".to_owned()),
    ] {
        let error = Module::parse(&context, text.as_bytes(), name).err();
        let error = error.unwrap_or_else(|| panic!("{name} is accepted"));
        assert!(error.to_string().contains("byte "), "{error}");
    }
    let nested = format!("{}{}", "module {\n".repeat(256), "}".repeat(256));
    let module = Module::parse(&context, nested.as_bytes(), "nested").expect("this deep is fine");
    module.verify("as parsed").expect("it is valid");
}

#[test]
fn types_are_laid_out_as_the_target_does() {
    const TARGET: &str = "e-m:e-i64:64-i128:128-n8:16:32:64-S128";
    let context = Context::new();
    let record = |offset: u32| {
        format!(
            "reloc.record @r : !llvm.struct<(i32, i64)> sites [#reloc.site<{offset} : 64 -> #reloc.symbol<\"a\">>] init {{
               %0 = llvm.mlir.zero : !llvm.struct<(i32, i64)>
               llvm.return %0 : !llvm.struct<(i32, i64)>
             }}"
        )
    };
    let within = |layout: &str, text: &str| {
        format!("module attributes {{llvm.data_layout = \"{layout}\"}} {{ {text} }}")
    };
    let accepted =
        |text: &str, layout: &str| Module::parse_for(&context, text.as_bytes(), "r", layout).is_ok();
    // An i64 is aligned to 8 bytes by the target, to 4 by a module that says so and by MLIR itself.
    assert!(accepted(&record(8), TARGET) && !accepted(&record(4), TARGET));
    assert!(accepted(&within(TARGET, &record(8)), "") && !accepted(&within(TARGET, &record(4)), ""));
    assert!(accepted(&within("e-i64:32", &record(4)), TARGET), "the module's own layout wins");
    assert!(accepted(&within("", &record(8)), TARGET), "an empty one is none");
    assert!(accepted(&record(4), ""));
    let error = Module::parse_for(&context, record(8).as_bytes(), "r", "nonsense").err();
    assert!(error.is_some_and(|error| error.to_string().contains("a layout that LLVM does not know")));

    let text = "llvm.func @f() { llvm.return }";
    let module = Module::parse_for(&context, text.as_bytes(), "f", TARGET).expect("it is valid");
    let exported = Llvm::new().export(&module).expect("it can be translated");
    assert!(exported.contains(&format!("target datalayout = \"{TARGET}\"")), "{exported}");
}

/// Where nobody listens, and after somebody who listened panicked, MLIR's diagnostics go nowhere.
#[test]
fn diagnostics_reach_only_who_listens() {
    const QUIET: &str = "RELO_TEST_QUIET";
    if std::env::var_os(QUIET).is_none() {
        let output = std::process::Command::new(std::env::current_exe().expect("it runs"))
            .args(["--exact", "reloc::diagnostics_reach_only_who_listens", "--nocapture"])
            .env(QUIET, "1")
            .output()
            .expect("it runs again");
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("from MLIR"), "{said}");
        return;
    }
    let context = Context::new();
    let emit = || {
        // SAFETY: context and text are alive.
        unsafe {
            let location = mlir_sys::mlirLocationUnknownGet(context.melior().to_raw());
            mlir_sys::mlirEmitError(location, c"from MLIR".as_ptr());
        }
    };
    emit();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        context.catching(|| -> () { panic!("while it listens") })
    }));
    assert!(panicked.is_err());
    emit();
    let ((), heard) = context.catching(emit);
    assert_eq!(heard.iter().map(|one| one.message.as_str()).collect::<Vec<_>>(), ["from MLIR"]);
}

#[test]
fn sites_and_ties_survive_llvm_ir() {
    let context = Context::new();
    let text =
        std::fs::read_to_string(root().join("dialect/tests/cases/translated.mlir")).expect("it is there");
    let module = Module::parse(&context, text.as_bytes(), "translated").expect("it is valid");
    let llvm = Llvm::new();
    let exported = llvm.export(&module).expect("it can be translated");
    let (imported, _) = llvm.import(&context, &exported).expect("it comes back");
    let again = imported.text();
    snapshots("dialect", || insta::assert_snapshot!("translated_to_llvm", exported));
    for part in [
        "#reloc.site<0 : 64 -> #reloc.object<\"julia\", \"Symbol foo\" + 8>, \"patch\">",
        "#reloc.site<8 : 64 -> #reloc.word<\"jl_true\" + 16, \"libjulia\">, \"table\", 4>",
        "#reloc.site<0 : 64 -> #reloc.symbol<\"cos\", \"libm.so.6\">>",
        "externally_initialized",
        "reloc.carry = 7 : i64",
    ] {
        assert!(again.contains(part), "{part} is lost\n{again}");
    }
}
