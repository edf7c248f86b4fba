//! What MLIR calls back while patterns run: deciding a rule, and building what PDL can't.

use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use mlir_sys::*;
use relo_engine::evaluate::{self, Bound};
use relo_engine::normal::{BindingId, Construction, Outcome, Rule, Term};
use relo_engine::{Datum, Host, Kind, Natives};

use crate::driver::Run;
use crate::encode::encode;
use crate::error::Rejection;
use crate::globals;
use crate::handle::{attr_handle, attribute, op_handle, string_ref, ty, type_handle, value, value_handle};
use crate::host::MlirHost;
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
        guarded(run, &patterns.rules[function.rule], |run| holds(run, patterns, function.rule, &ops, results))
    };
    MlirLogicalResult { value: i8::from(holds == Some(true)) }
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
        guarded(run, rule, |run| match function.what {
            What::Begin => begin(run, patterns, function.rule, root),
            What::Reject => reject(run, patterns, function.rule, root),
            What::Build(index) => build(run, patterns, function.rule, index, rest, results),
            What::Carry => carry(root, rest),
            What::Holds | What::Type => {}
        });
        run.host.building = None;
    }
    // A rewrite can't fail: MLIR would abort. What broke is kept in the run, which stops.
    MlirLogicalResult { value: 1 }
}

/// Runs a native; a panic is kept as the run's error instead of crossing C++.
fn guarded<T>(run: &mut Run<'_>, rule: &Rule, f: impl FnOnce(&mut Run<'_>) -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(|| f(run))) {
        Ok(value) => Some(value),
        Err(panic) => {
            run.broken(&rule.path, panic_text(&*panic));
            None
        }
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
) -> bool {
    let rule = &patterns.rules[index];
    let handles: Vec<_> = ops.iter().map(|op| op_handle(*op)).collect();
    let start = Instant::now();
    let decided = evaluate::evaluate(rule, &handles, &mut run.host, &run.natives);
    run.note_tried(rule, decided.as_ref().err().copied(), start);
    let Ok(bound) = decided else { return false };
    let mut computed = Vec::new();
    for wanted in &patterns.compiled[index].uses {
        match compute(run, wanted, &bound) {
            Ok(made) => computed.push(made),
            Err(message) => {
                run.broken(&rule.path, message);
                return false;
            }
        }
    }
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
    true
}

enum Made {
    Attribute(MlirAttribute),
    Type(MlirType),
    Value(MlirValue),
}

fn compute(run: &mut Run<'_>, wanted: &Use, bound: &Bound) -> Result<Made, String> {
    let mut look = |term: &Term| evaluate::value(term, bound, &mut run.host, &run.natives);
    match wanted {
        Use::Value(term) => match look(term) {
            Some(Datum::Value(of)) => Ok(Made::Value(value(of))),
            _ => Err("an operand has no value".into()),
        },
        Use::Type(term) => {
            let datum = look(term).ok_or("a type has no value")?;
            run.host.type_in(&datum).map(Made::Type).ok_or_else(|| "this is no type".into())
        }
        Use::Attribute { operation, name, term, result } => {
            let datum = look(term).ok_or_else(|| format!("`{name}` has no value"))?;
            let result = result.as_ref().and_then(&mut look);
            let result = result.and_then(|datum| run.host.type_in(&datum));
            let made = encode(run.host.raw_context(), operation, name, &datum, result)?;
            made.map(Made::Attribute)
                .ok_or_else(|| format!("`{name}` is left out, which only a constant can be"))
        }
    }
}

fn begin(run: &mut Run<'_>, patterns: &Patterns, index: usize, root: MlirOperation) {
    run.current = run.pending[index].take();
    run.note_fired(index, &patterns.rules[index], root);
}

fn reject(run: &mut Run<'_>, patterns: &Patterns, index: usize, root: MlirOperation) {
    let rule = &patterns.rules[index];
    let Outcome::Reject { message } = &rule.outcome else { return };
    let bound = run.pending[index].take().unwrap_or_default();
    let rejection = Rejection {
        rule: rule.path.clone(),
        message: evaluate::message(message, &bound, &run.host),
        place: run.host.location(op_handle(root)),
    };
    if !run.rejections.contains(&rejection) {
        run.rejections.push(rejection);
    }
}

fn build<'a>(
    run: &mut Run<'a>,
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
    let made = match &constructions[index] {
        Construction::Builder { native, arguments, result, .. } => {
            let arguments: Option<Vec<Datum>> = arguments
                .iter()
                .map(|term| evaluate::value(term, &bound, &mut run.host, &run.natives))
                .collect();
            call(run, native, arguments).map(|datum| (*result, datum))
        }
        construction => {
            let natives = run.natives.clone();
            let mut look = |term: &Term, host: &mut MlirHost<'a>, natives: &Natives<MlirHost<'a>>| {
                evaluate::value(term, &bound, host, natives)
            };
            let result = match construction {
                Construction::Operation { results, .. } => results.first().copied(),
                _ => None,
            };
            globals::build(construction, &mut run.host, &natives, &mut look)
                .map(|value| (result, value.map(|value| Datum::Value(value_handle(value)))))
        }
    };
    match made {
        Ok((Some(result), Some(datum))) => {
            push(run, results, &datum);
            bound[result.0] = Some(datum);
        }
        Ok(_) => {}
        Err(message) => {
            run.broken(path, message);
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

fn call(run: &mut Run<'_>, name: &str, arguments: Option<Vec<Datum>>) -> Result<Option<Datum>, String> {
    let natives = run.natives.clone();
    let native = natives.get(name).ok_or_else(|| format!("there is no native `{name}`"))?;
    let arguments = arguments.ok_or_else(|| format!("an argument of `{name}` has no value"))?;
    let arguments: Vec<Datum> = arguments
        .into_iter()
        .zip(&native.signature.parameters)
        .map(|(datum, (_, kind))| match (datum, kind) {
            (Datum::Attr(of), kind) if !matches!(kind, Kind::Any | Kind::Attribute) => run.host.decode(of),
            (datum, _) => datum,
        })
        .collect();
    let mut answer =
        native.call(&mut run.host, &arguments).ok_or_else(|| format!("`{name}` did not build anything"))?;
    Ok(answer.pop())
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

/// Hands the root's discardable attributes to the operation that replaces it. The tie to the original instruction
/// stays behind: what is new is not that instruction.
fn carry(root: MlirOperation, values: &[MlirPDLValue]) {
    let Some(value) = values.first() else { return };
    // SAFETY: root and value are alive; the value is an operation's result.
    unsafe {
        let value = mlirPDLValueAsValue(*value);
        if !mlirValueIsAOpResult(value) {
            return;
        }
        let made = mlirOpResultGetOwner(value);
        for index in 0..mlirOperationGetNumDiscardableAttributes(root) {
            let named = mlirOperationGetDiscardableAttribute(root, index);
            let name = crate::handle::text(mlirIdentifierStr(named.name));
            if !name.starts_with("reloc.") && name.contains('.') {
                mlirOperationSetDiscardableAttributeByName(made, string_ref(name), named.attribute);
            }
        }
    }
}
