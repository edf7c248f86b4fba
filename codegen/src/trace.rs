//! An input on its way through the rules, and no further.

use std::collections::BTreeMap;

use relo_dialect::{Context as MlirContext, Module as MlirModule, Tracer};

use crate::compile::{Options, fit};
use crate::error::CodegenError;
use crate::input::{self, Kind};
use crate::llvm::Context;
use crate::machine::Machine;
use crate::rewriting::{How, Rewriting};
use crate::shelter::release;
use crate::view::View;

/// Takes an input through the rules; `tracer` sees every step, also those before an error. Gives the functions that rules
/// do not see, with the reason.
///
/// # Errors
/// As [`crate::compile()`], as far as it goes.
pub fn trace(
    options: &Options<'_>,
    tracer: &mut Tracer<'_>,
) -> Result<BTreeMap<String, String>, CodegenError> {
    let machine = Machine::new(&options.rules.target.spec, options.level)?;
    let mlir = MlirContext::new();
    let mut watch = |_: &crate::compile::Step<'_, '_>| ();
    let mut rewriting = Rewriting::new(options, How::Traced(tracer), &mut watch);
    match input::kind(options.input, options.name) {
        Kind::Llvm => {
            let llvm = Context::new();
            let module = input::parse(&llvm, options.input, options.name)?;
            release(&module)?;
            fit(&module, &machine, options)?;
            let (view, mut seen) = View::import(&module, &mlir)?;
            rewriting.run(&mut seen, &mlir)?;
            Ok(view.opaque.clone())
        }
        Kind::Mlir => {
            let layout = machine.data_layout();
            let mut module = MlirModule::parse_for(&mlir, options.input, options.name, &layout)?;
            rewriting.run(&mut module, &mlir)?;
            Ok(BTreeMap::new())
        }
    }
}
