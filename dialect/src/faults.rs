//! What rules made and does not verify: which operation it is, and whose.

use mlir_sys::*;
use relo_engine::normal::{Construction, Outcome, Phase, Rule};

use crate::context::MlirDiagnostic;
use crate::error::DialectError;
use crate::handle::{operation, text};
use crate::host::place;
use crate::module::Module;
use crate::symbols::Symbols;

/// Verifies a module after a phase. `diagnostics` is what MLIR said while the phase ran.
///
/// # Errors
/// With the rules that made what is invalid.
pub(crate) fn verify(
    module: &Module<'_>,
    phase: Phase,
    rules: &[Rule],
    mut diagnostics: Vec<MlirDiagnostic>,
) -> Result<(), DialectError> {
    let when = format!("after phase `{phase}`");
    match module.verify(&when) {
        Ok(()) if diagnostics.is_empty() => return Ok(()),
        Err(DialectError::Invalid { diagnostics: more, .. }) => diagnostics.extend(more),
        _ => {}
    }
    let mut faults = faults(module, rules);
    if faults.is_empty() {
        return Err(DialectError::Invalid { when, diagnostics });
    }
    let mut first = faults.remove(0);
    if let DialectError::Built { others, .. } = &mut first {
        *others = faults;
    }
    Err(first)
}

/// The operations that don't verify on their own, and a rule is behind.
fn faults(module: &Module<'_>, rules: &[Rule]) -> Vec<DialectError> {
    let symbols = Symbols::new(module.raw());
    let mut faults = Vec::new();
    for op in module.operations().into_iter().map(operation) {
        // What has regions is checked with all that is in it: it is to blame where nothing in it is.
        // SAFETY: the operation is alive.
        let outer = unsafe { mlirOperationGetNumRegions(op) > 0 };
        // SAFETY: as above.
        let (valid, said) = module.context().catching(|| unsafe { outer || mlirOperationVerify(op) });
        if !valid && let Some(rule) = maker(op, rules, &symbols) {
            faults.push(fault(module, op, rule, &said));
        }
    }
    if !faults.is_empty() {
        return faults;
    }
    for op in module.operations().into_iter().map(operation).skip(1) {
        // SAFETY: the operation is alive.
        let (valid, said) = module.context().catching(|| unsafe { mlirOperationVerify(op) });
        if !valid && let Some(rule) = maker(op, rules, &symbols) {
            faults.push(fault(module, op, rule, &said));
        }
    }
    faults
}

/// The rule that made an operation, one of its operands or a symbol that it refers to.
fn maker<'r>(op: MlirOperation, rules: &'r [Rule], symbols: &Symbols) -> Option<&'r Rule> {
    // SAFETY: the operation, its operands and what defines them are alive; names live as long as the context.
    unsafe {
        let named = |op: MlirOperation| {
            let location = mlirOperationGetLocation(op);
            if !mlirLocationIsAName(location) {
                return None;
            }
            let name = text(mlirIdentifierStr(mlirLocationNameGetName(location)));
            rules.iter().find(|rule| rule.path == name)
        };
        let of_operand = |index| {
            let operand = mlirOperationGetOperand(op, index);
            mlirValueIsAOpResult(operand).then(|| named(mlirOpResultGetOwner(operand)))?
        };
        named(op)
            .or_else(|| (0..mlirOperationGetNumOperands(op)).find_map(of_operand))
            .or_else(|| symbols.used_by(op).find_map(named))
    }
}

fn fault(module: &Module<'_>, op: MlirOperation, rule: &Rule, said: &[MlirDiagnostic]) -> DialectError {
    // SAFETY: the operation is alive, its name as long as the context.
    let operation = unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) }.to_owned();
    let message = said.first().map_or_else(String::new, |first| first.message.clone());
    let message = message.trim_start_matches(&format!("'{operation}' op ")).to_owned();
    let constructions = match &rule.outcome {
        Outcome::Rewrite { constructions, .. } => constructions.as_slice(),
        Outcome::Reject { .. } => &[],
    };
    let built = constructions.iter().find_map(|construction| match construction {
        Construction::Operation { name, span, .. } | Construction::Global { name, span, .. } => {
            (*name == operation).then_some(*span)
        }
        Construction::Builder { .. } => None,
    });
    let text = rule.source.text.to_string();
    DialectError::Built {
        rule: rule.path.clone(),
        operation,
        place: place(module.raw(), op).to_string(),
        message,
        source_code: miette::NamedSource::new(rule.source.name.as_ref(), text),
        part: if built.is_some() { "builds it" } else { "changes what it uses" },
        at: built.unwrap_or(rule.span).range().into(),
        others: Vec::new(),
    }
}
