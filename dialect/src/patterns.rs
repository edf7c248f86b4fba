//! The rules of a phase, compiled: a frozen set of PDL patterns with their natives.

use std::cell::Cell;
use std::ffi::c_void;

use mlir_sys::*;
use relo_engine::normal::{Phase, Rule};

use crate::callbacks::{Function, What, constraint, rewrite};
use crate::context::Context;
use crate::error::DialectError;
use crate::handle::string_ref;
use crate::pdl::{self, Compiled, native_name};

/// The rules of one phase, ready to run over any number of modules of their context.
pub struct Patterns {
    pub(crate) phase: Phase,
    pub(crate) rules: Vec<Rule>,
    pub(crate) frozen: MlirFrozenRewritePatternSet,
    /// The run that the natives belong to, while there is one.
    pub(crate) run: Box<Cell<*mut c_void>>,
    text: String,
    pub(crate) compiled: Vec<Compiled>,
    /// What MLIR calls back with. It keeps pointers to these: each has a place of its own.
    #[expect(clippy::vec_box, reason = "the addresses must not change while the list grows")]
    _functions: Vec<Box<Function>>,
}

impl Patterns {
    /// Compiles the rules of a phase.
    ///
    /// # Errors
    /// When an attribute's value does not fit, or MLIR refuses the pattern.
    pub fn new(context: &Context, phase: Phase, rules: &[Rule]) -> Result<Box<Self>, DialectError> {
        let mut compiled = Vec::new();
        for rule in rules {
            let (pattern, _) = context.catching(|| pdl::compile(context.raw(), rule));
            compiled.push(
                pattern.map_err(|message| DialectError::Attribute { rule: rule.path.clone(), message })?,
            );
        }
        let text: String = compiled.iter().map(|one| one.text.as_str()).collect();
        let mut patterns = Box::new(Self {
            phase,
            rules: rules.to_vec(),
            frozen: MlirFrozenRewritePatternSet { ptr: std::ptr::null_mut() },
            run: Box::new(Cell::new(std::ptr::null_mut())),
            text,
            compiled,
            _functions: Vec::new(),
        });
        // MLIR does not expect an empty set.
        if rules.is_empty() {
            return Ok(patterns);
        }
        let (frozen, diagnostics) = context.catching(|| patterns.freeze(context));
        match frozen {
            Some(frozen) => patterns.frozen = frozen,
            None => return Err(DialectError::Pdl { phase: phase.to_string(), diagnostics }),
        }
        Ok(patterns)
    }

    /// The PDL module that the rules were compiled to.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn freeze(&mut self, context: &Context) -> Option<MlirFrozenRewritePatternSet> {
        let source = format!("module {{\n{}}}\n", self.text);
        // SAFETY: each object is handed on or destroyed once; functions and their names outlive the set, as both
        // belong to `self`.
        unsafe {
            let module = mlirModuleCreateParse(context.raw(), string_ref(&source));
            if module.ptr.is_null() {
                return None;
            }
            if !mlirOperationVerify(mlirModuleGetOperation(module)) {
                mlirModuleDestroy(module);
                return None;
            }
            let pdl = mlirPDLPatternModuleFromModule(module);
            let mut functions = Vec::new();
            for (index, rule) in self.rules.iter().enumerate() {
                let mut make = |what| {
                    let function =
                        Box::new(Function { what, rule: index, run: &raw const *self.run, patterns: self });
                    let pointer = (&raw const *function).cast_mut().cast::<c_void>();
                    functions.push(function);
                    pointer
                };
                mlirPDLPatternModuleRegisterConstraintFunction(
                    pdl,
                    string_ref(&native_name(rule, "holds")),
                    Some(constraint),
                    make(What::Holds),
                );
                let mut rewrites = vec![
                    (native_name(rule, "begin"), What::Begin),
                    (native_name(rule, "reject"), What::Reject),
                ];
                for (index, _) in &self.compiled[index].natives {
                    rewrites.push((format!("{}#{index}", native_name(rule, "build")), What::Build(*index)));
                }
                for (name, what) in rewrites {
                    let user = make(what);
                    mlirPDLPatternModuleRegisterRewriteFunction(pdl, string_ref(&name), Some(rewrite), user);
                }
            }
            for (name, what) in [("carry", What::Carry), ("type", What::Type)] {
                let shared = Box::new(Function { what, rule: 0, run: &raw const *self.run, patterns: self });
                let user = (&raw const *shared).cast_mut().cast::<c_void>();
                functions.push(shared);
                mlirPDLPatternModuleRegisterRewriteFunction(pdl, string_ref(name), Some(rewrite), user);
            }
            let set = mlirRewritePatternSetFromPDLPatternModule(pdl);
            mlirPDLPatternModuleDestroy(pdl);
            let frozen = mlirFreezeRewritePattern(set);
            mlirRewritePatternSetDestroy(set);
            self._functions = functions;
            Some(frozen)
        }
    }
}

impl Drop for Patterns {
    fn drop(&mut self) {
        if !self.frozen.ptr.is_null() {
            // SAFETY: the set is ours; nobody runs it any more.
            unsafe { mlirFrozenRewritePatternSetDestroy(self.frozen) };
        }
    }
}
