//! LLVM IR to the dialect and back: sites, what MLIR loses of globals, and ties to instructions.

use relo_dialect::{Context, DialectError, MlirDiagnostic, Module, translate};
use relo_testkit::{cases, render, root, snapshots};

/// An LLVM context of a test's own.
pub(crate) struct Llvm(llvm_sys::prelude::LLVMContextRef);

impl Llvm {
    pub(crate) fn new() -> Self {
        // SAFETY: it is disposed of once.
        Self(unsafe { llvm_sys::core::LLVMContextCreate() })
    }

    /// Imports LLVM IR, which has to be valid for LLVM.
    pub(crate) fn import<'c>(
        &self,
        mlir: &'c Context,
        text: &str,
    ) -> Result<(Module<'c>, Vec<MlirDiagnostic>), DialectError> {
        let mut module = std::ptr::null_mut();
        let mut message = std::ptr::null_mut();
        // SAFETY: the text is copied into a buffer that lives until it is parsed; the import consumes the module.
        unsafe {
            let buffer = llvm_sys::core::LLVMCreateMemoryBufferWithMemoryRangeCopy(
                text.as_ptr().cast(),
                text.len(),
                c"test".as_ptr(),
            );
            let failed =
                llvm_sys::ir_reader::LLVMParseIRInContext2(self.0, buffer, &raw mut module, &raw mut message);
            llvm_sys::core::LLVMDisposeMemoryBuffer(buffer);
            assert_eq!(failed, 0, "{}", std::ffi::CStr::from_ptr(message).to_string_lossy());
            translate::import(mlir, module)
        }
    }

    /// Translates to LLVM IR, as text.
    pub(crate) fn export(&self, module: &Module<'_>) -> Result<String, DialectError> {
        // SAFETY: the context is alive; module and text are disposed of once.
        unsafe {
            let exported = translate::export(module, self.0)?;
            let message = llvm_sys::core::LLVMPrintModuleToString(exported);
            let printed = std::ffi::CStr::from_ptr(message).to_string_lossy().into_owned();
            llvm_sys::core::LLVMDisposeMessage(message);
            llvm_sys::core::LLVMDisposeModule(exported);
            Ok(printed)
        }
    }
}

impl Drop for Llvm {
    fn drop(&mut self) {
        // SAFETY: nothing of it is left: what tests make in it they dispose of.
        unsafe { llvm_sys::core::LLVMContextDispose(self.0) };
    }
}

/// The module without what MLIR adds to it: its first line, with the layout written down, and a flag of its export.
fn body(module: &Module<'_>) -> String {
    let text = module.text();
    let own = text.lines().skip(1).filter(|line| !line.contains("\"Debug Info Version\""));
    own.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_mlir_loses_comes_back() {
    let (context, llvm) = (Context::new(), Llvm::new());
    for case in cases(&root().join("dialect/tests/cases/llvm/ok"), "ll") {
        let (module, warnings) = match llvm.import(&context, &case.text) {
            Ok(imported) => imported,
            Err(error) => panic!("{}", render(&error)),
        };
        module.verify("after the import").expect("it is valid");
        let exported = llvm.export(&module).expect("it can be translated");
        let (again, _) = llvm.import(&context, &exported).expect("what is translated comes back");
        assert_eq!(body(&again), body(&module), "{}: another way round it is another module", case.name);
        let warnings: String = warnings.iter().map(|warning| format!("// {warning}\n")).collect();
        snapshots("dialect/llvm", || {
            insta::assert_snapshot!(case.name.clone(), format!("{warnings}{}\n{exported}", body(&module)));
        });
    }
}

#[test]
fn malformed_sites_are_refused_by_name() {
    let (context, llvm) = (Context::new(), Llvm::new());
    for case in cases(&root().join("dialect/tests/cases/llvm/refused"), "ll") {
        let error = llvm.import(&context, &case.text).err();
        let error = error.unwrap_or_else(|| panic!("{} is accepted", case.name));
        let text = render(&error);
        assert!(text.contains("of !reloc.sites: "), "{}: no entry is named\n{text}", case.name);
        snapshots("dialect/llvm/refused", || insta::assert_snapshot!(case.name.clone(), text));
    }
}

#[test]
fn what_no_rule_lowered_is_refused_where_it_stands() {
    let (context, llvm) = (Context::new(), Llvm::new());
    for case in cases(&root().join("dialect/tests/cases/left_over"), "mlir") {
        let module = Module::parse(&context, case.text.as_bytes(), &case.name).expect("it is valid");
        let error = llvm.export(&module).err();
        let text = render(&error.unwrap_or_else(|| panic!("{} is translated", case.name)));
        assert!(text.contains(&format!("{}:", case.name)), "the place is missing\n{text}");
        snapshots("dialect/left_over", || insta::assert_snapshot!(case.name.clone(), text));
    }
}
