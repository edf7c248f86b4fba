//! The rules of a phase, compiled: frozen sets of PDL patterns with their natives.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;

use mlir_sys::*;
use relo_engine::normal::{Phase, Rule};

use crate::callbacks::{Function, What, constraint, rewrite};
use crate::context::Context;
use crate::error::DialectError;
use crate::handle::string_ref;
use crate::pdl::{self, Compiled, native_name};

/// So many rules are in one set at most: MLIR numbers what a set's rules say with 16 bits each, benefits with 15, and does not
/// look whether that is enough.
const MOST_IN_A_SET: usize = 250;

/// The rules of one phase, ready to run over any number of modules of their context.
pub struct Patterns {
    pub(crate) phase: Phase,
    pub(crate) rules: Vec<Rule>,
    /// One after the other holds the next rules.
    pub(crate) frozen: Vec<MlirFrozenRewritePatternSet>,
    /// The run that the natives belong to, while there is one.
    pub(crate) run: Box<Cell<*mut c_void>>,
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
        Self::in_sets_of(MOST_IN_A_SET, context, phase, rules)
    }

    /// The same, with so many rules in a set of MLIR's at most.
    ///
    /// # Errors
    /// As [`Patterns::new`].
    pub fn in_sets_of(
        most: usize,
        context: &Context,
        phase: Phase,
        rules: &[Rule],
    ) -> Result<Box<Self>, DialectError> {
        let most = most.clamp(1, MOST_IN_A_SET);
        let mut compiled = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            let benefit = most - index % most;
            let (pattern, _) = context.catching(|| pdl::compile(context.raw(), rule, benefit));
            compiled.push(
                pattern.map_err(|message| DialectError::Attribute { rule: rule.path.clone(), message })?,
            );
        }
        let mut patterns = Box::new(Self {
            phase,
            rules: rules.to_vec(),
            frozen: Vec::new(),
            run: Box::new(Cell::new(std::ptr::null_mut())),
            compiled,
            _functions: Vec::new(),
        });
        for start in (0..rules.len()).step_by(most) {
            let set = start..rules.len().min(start + most);
            let (frozen, diagnostics) = context.catching(|| patterns.freeze(context, set));
            if frozen.is_none() {
                return Err(DialectError::Pdl { phase: phase.to_string(), diagnostics });
            }
        }
        Ok(patterns)
    }

    /// The PDL that the rules were compiled to.
    pub fn text(&self) -> String {
        self.compiled.iter().map(|one| one.text.as_str()).collect()
    }

    /// Makes a set of these rules, behind those that there are; `None` where MLIR refuses it.
    fn freeze(&mut self, context: &Context, rules: Range<usize>) -> Option<()> {
        let texts: String = self.compiled[rules.clone()].iter().map(|one| one.text.as_str()).collect();
        let source = format!("module {{\n{texts}}}\n");
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
            for (index, rule) in self.rules.iter().enumerate().take(rules.end).skip(rules.start) {
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
            self._functions.extend(functions);
            self.frozen.push(frozen);
            Some(())
        }
    }
}

impl Drop for Patterns {
    fn drop(&mut self) {
        for set in self.frozen.drain(..) {
            // SAFETY: the set is ours; nobody runs it any more.
            unsafe { mlirFrozenRewritePatternSetDestroy(set) };
        }
    }
}
