//! What MLIR calls back while patterns run: deciding a rule, and building what PDL can't.

use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use mlir_sys::*;
use relo_engine::evaluate::{self, Bound};
use relo_engine::interpret;
use relo_engine::normal::{BindingId, Construction, Outcome, Rule};
use relo_engine::{Datum, Host, Kind, Rewriter};

use crate::driver::Run;
use crate::encode::encode;
use crate::handle::{attr_handle, attribute, op_handle, string_ref, ty, type_handle, value, value_handle};
use crate::patterns::Patterns;
use crate::pdl::Use;

/// What a native of a pattern is, for which rule, in whose run.
pub(crate) struct Function {
    pub(crate) what: What,
    pub(crate) rule: usize,
    pub(crate) run: *const Cell<*mut c_void>,
    pub(crate) patterns: *const Patterns,
}

/// The natives that a pattern has.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Holds,
    Begin,
    Build(usize),
    Reject,
    Carry,
    Type,
}

/// Whether a rule holds for the operations that PDL found.
///
/// # Safety
/// MLIR calls it, with a [`Function`] that is alive and whose run is active.
pub(crate) unsafe extern "C" fn constraint(
    _rewriter: MlirPatternRewriter,
    results: MlirPDLResultList,
    count: usize,
    values: *mut MlirPDLValue,
    user: *mut c_void,
) -> MlirLogicalResult {
    // SAFETY: `user` is one of our functions, its run is active, and the values are `count` operations.
    let holds = unsafe {
        let function = &*user.cast::<Function>();
        let run = &mut *(*function.run).get().cast::<Run<'_>>();
        let patterns = &*function.patterns;
        let ops: Vec<MlirOperation> =
            (0..count).map(|index| mlirPDLValueAsOperation(*values.add(index))).collect();
        run.attempt(&patterns.rules, function.rule, |run| {
            catch_unwind(AssertUnwindSafe(|| holds(run, patterns, function.rule, &ops, results)))
                .unwrap_or_else(|panic| Err(panic_text(&*panic)))
        })
    };
    MlirLogicalResult { value: i8::from(holds) }
}

/// A native of a rewrite; the first value is the root.
///
/// # Safety
/// As for [`constraint`].
pub(crate) unsafe extern "C" fn rewrite(
    rewriter: MlirPatternRewriter,
    results: MlirPDLResultList,
    count: usize,
    values: *mut MlirPDLValue,
    user: *mut c_void,
) -> MlirLogicalResult {
    // SAFETY: as above; the first value is the root.
    unsafe {
        let function = &*user.cast::<Function>();
        if let What::Type = function.what {
            mlirPDLResultListPushBackType(results, mlirPDLValueAsType(*values.add(1)));
            return MlirLogicalResult { value: 1 };
        }
        let run = &mut *(*function.run).get().cast::<Run<'_>>();
        // The natives that all rules share know no rule of their own.
        let patterns = &*function.patterns;
        let rule = &patterns.rules[function.rule];
        let root = mlirPDLValueAsOperation(*values);
        let rest = std::slice::from_raw_parts(values.add(1), count - 1);
        run.host.building = Some((mlirPatternRewriterAsBase(rewriter), op_handle(root)));
        let start = Instant::now();
        guarded(run, rule, |run| match function.what {
            What::Begin => begin(run, patterns, function.rule, root),
            What::Reject => reject(run, patterns, function.rule, root),
            What::Build(index) => build(run, patterns, function.rule, index, rest, results),
            What::Carry => carry(run, root, rest),
            What::Holds | What::Type => {}
        });
        run.host.building = None;
        if !matches!(function.what, What::Carry) {
            run.record.rewrote(rule, start);
        }
    }
    // A rewrite can't fail: MLIR would abort. What broke is kept in the run, which stops.
    MlirLogicalResult { value: 1 }
}

/// Runs a native; a panic is kept as the run's error instead of crossing C++.
fn guarded(run: &mut Run<'_>, rule: &Rule, f: impl FnOnce(&mut Run<'_>)) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| f(run))) {
        run.record.watch.broken(&rule.path, panic_text(&*panic));
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "a panic".to_owned())
}

/// Decides a rule, and computes what its rewrite needs.
fn holds(
    run: &mut Run<'_>,
    patterns: &Patterns,
    index: usize,
    ops: &[MlirOperation],
    results: MlirPDLResultList,
) -> Result<bool, String> {
    let rule = &patterns.rules[index];
    let handles: Vec<_> = ops.iter().map(|op| op_handle(*op)).collect();
    // Where PDL can't follow the operands, it gives the root alone.
    let handles = match handles.as_slice() {
        [root] if rule.operations.len() > 1 => interpret::shape(rule, *root, &run.host),
        _ => Ok(handles),
    };
    let start = Instant::now();
    let held = handles.and_then(|ops| evaluate::evaluate(rule, &ops, &mut run.host, &run.natives));
    run.record.tried(rule, held.as_ref().err().copied(), start);
    let Ok(mut bound) = held else { return Ok(false) };
    let uses = &patterns.compiled[index].uses;
    let computed: Vec<Made> =
        uses.iter().map(|wanted| compute(run, wanted, &mut bound)).collect::<Result<_, _>>()?;
    for made in computed {
        // SAFETY: the list is MLIR's, alive during the call; what is pushed is alive.
        unsafe {
            match made {
                Made::Attribute(made) => mlirPDLResultListPushBackAttribute(results, made),
                Made::Type(made) => mlirPDLResultListPushBackType(results, made),
                Made::Value(made) => mlirPDLResultListPushBackValue(results, made),
            }
        }
    }
    run.pending[index] = Some(bound);
    Ok(true)
}

enum Made {
    Attribute(MlirAttribute),
    Type(MlirType),
    Value(MlirValue),
}

fn compute(run: &mut Run<'_>, wanted: &Use, bound: &mut Bound) -> Result<Made, String> {
    let (host, natives) = (&mut run.host, &run.natives);
    match wanted {
        Use::Value { operation, term } => {
            let values = interpret::operand(operation, term, bound, host, natives)?;
            Ok(Made::Value(value(*values.first().expect("a list is built by a native"))))
        }
        Use::Type { operation, term } => {
            Ok(Made::Type(ty(interpret::ty(operation, term, bound, host, natives)?)))
        }
        Use::Attribute { operation, name, term, result } => {
            let result = match result {
                Some(term) => Some(interpret::ty(operation, term, bound, host, natives)?),
                None => None,
            };
            let made = interpret::attribute((operation, name), term, result, bound, host, natives)?;
            let made = made.expect("what may be left out is built by a native");
            Ok(Made::Attribute(attribute(made)))
        }
    }
}

fn begin(run: &mut Run<'_>, patterns: &Patterns, index: usize, root: MlirOperation) {
    run.current = run.pending[index].take();
    run.record.fired(index, &patterns.rules[index], root, &run.host);
}

fn reject(run: &mut Run<'_>, patterns: &Patterns, index: usize, root: MlirOperation) {
    let rule = &patterns.rules[index];
    let Outcome::Reject { message } = &rule.outcome else { return };
    let bound = run.pending[index].take().unwrap_or_default();
    run.record.rejected(rule, root, evaluate::message(message, &bound, &run.host), &run.host);
}

fn build(
    run: &mut Run<'_>,
    patterns: &Patterns,
    rule: usize,
    index: usize,
    values: &[MlirPDLValue],
    results: MlirPDLResultList,
) {
    let path = &patterns.rules[rule].path;
    let Outcome::Rewrite { constructions, .. } = &patterns.rules[rule].outcome else { return };
    let handed = patterns.compiled[rule].natives.iter().find(|(at, _)| *at == index);
    let mut bound = run.current.take().unwrap_or_else(|| vec![None; patterns.rules[rule].bindings.len()]);
    for (binding, handed) in handed.into_iter().flat_map(|(_, bindings)| bindings).zip(values) {
        bound[binding.0] = Some(received(&patterns.rules[rule], *binding, *handed));
    }
    let construction = &constructions[index];
    let result = match construction {
        Construction::Builder { result, .. } => *result,
        Construction::Operation { results, .. } => results.first().copied(),
        Construction::Global { .. } => None,
    };
    let natives = run.natives.clone();
    match interpret::build(construction, &mut bound, &mut run.host, &natives) {
        Ok(_) => {
            if let Some(datum) = result.and_then(|result| bound[result.0].clone()) {
                push(run, results, &datum);
            }
        }
        Err(message) => {
            run.record.watch.broken(path, message);
            // MLIR reads the result whatever happened: it gets one that is not null.
            push(run, results, &Datum::Bool(true));
        }
    }
    run.current = Some(bound);
}

/// A built value that PDL hands over.
fn received(rule: &Rule, binding: BindingId, handed: MlirPDLValue) -> Datum {
    // SAFETY: the binding's kind decided how PDL declared the value.
    unsafe {
        match rule.bindings[binding.0].kind {
            Kind::Value => Datum::Value(value_handle(mlirPDLValueAsValue(handed))),
            Kind::Type => Datum::Type(type_handle(mlirPDLValueAsType(handed))),
            _ => Datum::Attr(attr_handle(mlirPDLValueAsAttribute(handed))),
        }
    }
}

fn push(run: &mut Run<'_>, results: MlirPDLResultList, datum: &Datum) {
    // SAFETY: the list is MLIR's, alive during the call; what is pushed is alive.
    unsafe {
        match datum {
            Datum::Value(of) => mlirPDLResultListPushBackValue(results, value(*of)),
            Datum::Type(of) => mlirPDLResultListPushBackType(results, ty(*of)),
            Datum::Attr(of) => mlirPDLResultListPushBackAttribute(results, attribute(*of)),
            Datum::Symbol(name) => mlirPDLResultListPushBackAttribute(
                results,
                mlirFlatSymbolRefAttrGet(run.host.raw_context(), string_ref(name)),
            ),
            datum => {
                let made = encode(run.host.raw_context(), "", "", datum, None).ok().flatten();
                let made = made.unwrap_or_else(|| mlirUnitAttrGet(run.host.raw_context()));
                mlirPDLResultListPushBackAttribute(results, made);
            }
        }
    }
}

fn carry(run: &mut Run<'_>, root: MlirOperation, values: &[MlirPDLValue]) {
    let Some(value) = values.first() else { return };
    // SAFETY: the value is alive.
    let value = unsafe { value_handle(mlirPDLValueAsValue(*value)) };
    if let Some(made) = run.host.definition(value) {
        run.host.carry(op_handle(root), made);
    }
}
