//! Functions of which only the declaration stays: what is in them is to be left out.

use mlir_sys::*;

use crate::handle::{string_attribute, string_ref};
use crate::module::Module;
use crate::symbols::top_level;

/// What a definition has and a declaration can't.
const OF_DEFINITIONS: [&str; 3] = ["comdat", "personality", "dso_local"];

impl Module<'_> {
    /// The names of its functions.
    pub fn functions(&self) -> Vec<String> {
        self.function_operations().into_iter().map(|(name, _)| name).collect()
    }

    /// Takes the bodies out of some functions.
    pub fn hollow(&mut self, is_hollow: impl Fn(&str) -> bool) {
        for (_, function) in self.function_operations().into_iter().filter(|(name, _)| is_hollow(name)) {
            // SAFETY: the function is alive and has one region, whose body dies with the region that takes it; MLIR
            // copies the texts.
            unsafe {
                let grave = mlirRegionCreate();
                mlirRegionTakeBody(grave, mlirOperationGetRegion(function, 0));
                mlirRegionDestroy(grave);
                let context = self.context().raw();
                let linkage = mlirAttributeParseGet(context, string_ref("#llvm.linkage<external>"));
                mlirOperationSetAttributeByName(function, string_ref("linkage"), linkage);
                for name in OF_DEFINITIONS {
                    mlirOperationRemoveAttributeByName(function, string_ref(name));
                }
            }
        }
    }

    fn function_operations(&self) -> Vec<(String, MlirOperation)> {
        top_level(self.raw())
            .into_iter()
            .filter(|op| crate::natives::operation_name(*op) == "llvm.func")
            .filter_map(|op| Some((string_attribute(op, "sym_name")?, op)))
            .collect()
    }
}
