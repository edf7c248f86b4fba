//! The dialect by itself: assembly, bytecode, verifiers, MLIR's own passes, LLVM IR.

use relo_dialect::{Context, Module, translate};
use relo_testkit::{cases, render, root, snapshots};

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
fn sites_and_ties_survive_llvm_ir() {
    let context = Context::new();
    let text =
        std::fs::read_to_string(root().join("dialect/tests/cases/translated.mlir")).expect("it is there");
    let module = Module::parse(&context, text.as_bytes(), "translated").expect("it is valid");
    // SAFETY: the LLVM context outlives the module, which the import consumes; the text is disposed of once.
    let (llvm, again) = unsafe {
        let llvm = llvm_sys::core::LLVMContextCreate();
        let exported = translate::export(&module, llvm).expect("it can be translated");
        let message = llvm_sys::core::LLVMPrintModuleToString(exported);
        let printed = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
        llvm_sys::core::LLVMDisposeMessage(message);
        let (imported, _) = translate::import(&context, exported).expect("it comes back");
        let again = imported.text();
        drop(imported);
        llvm_sys::core::LLVMContextDispose(llvm);
        (printed, again)
    };
    snapshots("dialect", || insta::assert_snapshot!("translated_to_llvm", llvm));
    for part in [
        "#reloc.site<0 : 64 -> #reloc.object<\"julia\", \"Symbol foo\" + 8>, \"patch\">",
        "#reloc.site<8 : 64 -> #reloc.word<\"jl_true\" + 16, \"libjulia\">, \"table\", 4>",
        "#reloc.site<0 : 32 -> #reloc.symbol<\"cos\", \"libm.so.6\">>",
        "externally_initialized",
        "reloc.carry = 7 : i64",
    ] {
        assert!(again.contains(part), "{part} is lost\n{again}");
    }
}
