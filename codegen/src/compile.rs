//! The whole way, from input to artifact and manifest.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use llvm_sys::LLVMLinkage;
use llvm_sys::core::*;
use relo_dialect::{AddNatives, Context as MlirContext, Module as MlirModule, Outcome, translate};
use relo_engine::RuleSet;
use relo_engine::normal::Phase;
use relo_loader::Manifest;
use relo_referent::{Action, Referent, SessionTable};

use crate::argument::arguments;
use crate::confine::{leaking, refused, take_out};
use crate::emit::{Emit, emit};
use crate::error::CodegenError;
use crate::freeze::freeze;
use crate::held::held;
use crate::input::{self, Kind};
use crate::llvm::{Context, Module, is_local, name_of};
use crate::machine::Machine;
use crate::names::check_names;
use crate::record::{entries, record};
use crate::rewriting::{How, Rewriting};
use crate::scan::{Leak, scan};
use crate::shelter::{keep, release, shelter};
use crate::sites::LiveSite;
use crate::view::View;

/// What to compile, and how.
pub struct Options<'a> {
    /// The input's bytes: LLVM IR or MLIR, text or binary.
    pub input: &'a [u8],
    /// What diagnostics call it; its extension may say which it is.
    pub name: &'a str,
    /// What the front end knows.
    pub session: &'a SessionTable,
    /// The rules, for their target.
    pub rules: &'a RuleSet,
    /// The kind of artifact.
    pub emit: Emit,
    /// The optimisation level, 0 to 3. At 0 LLVM's optimiser does not run at all.
    pub level: u8,
    /// Functions to keep, everything else becoming internal; all as they are where empty.
    pub entries: &'a [String],
    /// Whether functions that can't be made portable are left out, and what needs them, in place of refusing it all.
    pub confine: bool,
    /// The word of a symbol or word in this process, for strategies that want it now.
    pub resolve: &'a dyn Fn(&Referent) -> Option<u64>,
    /// The natives that the rules call: [`relo_dialect::natives`], or a function that adds to them.
    pub natives: AddNatives,
    /// Whether the steps that are watched hold every rewrite.
    pub trace: bool,
    /// Whether the reference interpreter runs the rules, in place of PDL.
    pub interpret: bool,
    /// Told of each step when it begins.
    pub progress: &'a dyn Fn(&str),
}

/// A phase that has run.
pub struct Step<'a, 'c> {
    /// Which.
    pub phase: Phase,
    /// What it did.
    pub outcome: &'a Outcome,
    /// How long it took, compiling its rules to PDL included.
    pub time: Duration,
    /// The module as it is now.
    pub module: &'a MlirModule<'c>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The artifact's bytes.
    pub artifact: Vec<u8>,
    /// What a loader needs beside it.
    pub manifest: Manifest,
    /// What is left of the session: the artifact is not portable then.
    pub leaks: Vec<Leak>,
    /// Functions that rules did not see, because MLIR can't carry them, with the reason.
    pub unseen: BTreeMap<String, String>,
    /// Functions that were left out, with the reason.
    pub dropped: BTreeMap<String, String>,
}

/// What came of an attempt.
enum Attempt {
    Done(Box<Compilation>),
    /// These functions, with the reasons, have to be left out.
    Without(BTreeMap<String, String>),
}

/// Compiles an input.
///
/// # Errors
/// With a diagnostic for everything that can be wrong with input, rules or target.
pub fn compile(
    options: &Options<'_>,
    watch: &mut dyn FnMut(&Step<'_, '_>),
) -> Result<Compilation, CodegenError> {
    let mut without = BTreeMap::new();
    loop {
        match attempt(options, &without, watch)? {
            Attempt::Done(compilation) => return Ok(*compilation),
            // Each time there are more of them: it ends.
            Attempt::Without(more) => without.extend(more),
        }
    }
}

/// Compiles an input without some of its functions.
fn attempt(
    options: &Options<'_>,
    without: &BTreeMap<String, String>,
    watch: &mut dyn FnMut(&Step<'_, '_>),
) -> Result<Attempt, CodegenError> {
    let new = |mut found: BTreeMap<String, String>| {
        found.retain(|name, _| !without.contains_key(name));
        (options.confine && !found.is_empty()).then_some(Attempt::Without(found))
    };
    let spec = &options.rules.target.spec;
    check_kind(options)?;
    let machine = Machine::new(spec, options.level)?;
    let mlir = MlirContext::new();
    let how = if options.interpret { How::Interpreted } else { How::Patterned };
    let mut rewriting = Rewriting::new(options, how, watch);
    let llvm = Context::new();
    let (mut unseen, mut dropped) = (BTreeMap::new(), BTreeMap::new());
    (options.progress)("reading");
    let module = match input::kind(options.input, options.name) {
        Kind::Llvm => {
            let module = input::parse(&llvm, options.input, options.name)?;
            release(&module)?;
            fit(&module, &machine, options)?;
            dropped = take_out(&module, without)?;
            (options.progress)("importing");
            let (view, mut seen) = View::import(&module, &mlir)?;
            unseen.clone_from(&view.opaque);
            if let Err(error) = rewriting.run(&mut seen, &mlir) {
                return new(refused(&error, &module.function_names())).ok_or(error);
            }
            (options.progress)("merging");
            if !rewriting.touched.is_empty() {
                view.merge(&seen, &rewriting.touched)?;
            } else {
                drop(view);
            }
            module
        }
        Kind::Mlir => {
            let layout = machine.data_layout();
            let mut module = MlirModule::parse_for(&mlir, options.input, options.name, &layout)?;
            module.hollow(|name| without.contains_key(name));
            if let Err(error) = rewriting.run(&mut module, &mlir) {
                return new(refused(&error, &module.functions())).ok_or(error);
            }
            // SAFETY: the context is alive; what comes back is ours.
            let module = unsafe { Module::from_raw(translate::export(&module, llvm.raw())?, llvm.clone()) };
            fit(&module, &machine, options)?;
            dropped.extend(take_out(&module, without)?);
            module
        }
    };
    if let Some((entry, reason)) = dropped.iter().find(|(name, _)| options.entries.contains(name)) {
        return Err(CodegenError::Confine { what: format!("`{entry}` is to be kept, and {reason}") });
    }
    let fired = std::mem::take(&mut rewriting.fired);
    keep_entries(&module, options)?;
    (options.progress)("optimising");
    let sheltered = shelter(&module)?;
    if options.level > 0 {
        machine.passes(&module, &format!("default<O{}>", options.level))?;
    } else if !options.entries.is_empty() {
        machine.passes(&module, "globaldce")?;
    }
    sheltered.leave();
    let sites = freeze(&module, options.rules)?;
    check_deferred(&sites, options)?;
    if options.emit.is_ir() {
        keep(&module)?;
    } else {
        check_names(&module, spec)?;
    }
    let arguments = arguments(&module, options.rules, &sites)?;
    // What is valid in this session only says so, and may hold what it likes.
    let is_bound = !options.session.relocatable() || !is_portable(&fired, options.rules);
    let leaks =
        if is_bound { Vec::new() } else { scan(&module, &numbers(options.session), &options.rules.values) };
    if let Some(attempt) = new(leaking(&leaks, &module)) {
        return Ok(attempt);
    }
    (options.progress)("emitting");
    let artifact = emit(&module, &machine, options.emit, &spec.link)?;
    let sites = held(sites, &artifact, options.emit, options.rules, &arguments)?;
    let portable = !is_bound && leaks.is_empty();
    let manifest =
        record(options.rules, &fired, entries(&module), &sites, &artifact, options.emit, portable)?;
    let manifest = Manifest { arguments, ..manifest };
    Ok(Attempt::Done(Box::new(Compilation { artifact, manifest, leaks, unseen, dropped })))
}

/// The numbers that belong to a session: addresses, and what else it says.
fn numbers(session: &SessionTable) -> HashSet<u64> {
    let offsets = session.offsets().iter().map(|offset| offset.cast_unsigned());
    session.addresses().map(|(address, _)| address).chain(offsets).collect()
}

/// LLVM makes something of any kind that is asked for, if only under that name.
fn check_kind(options: &Options<'_>) -> Result<(), CodegenError> {
    let (spec, kind) = (&options.rules.target.spec, options.emit.to_string());
    if options.emit.is_ir() || spec.emit.contains(&kind) {
        return Ok(());
    }
    let kinds = [spec.emit.join(", "), Emit::Llvm.to_string(), Emit::Bitcode.to_string()].join(", ");
    Err(CodegenError::NotEmitted { target: spec.name.clone(), kind, help: format!("it makes: {kinds}") })
}

/// Input for another machine is refused; input for none is for the target.
pub(crate) fn fit(module: &Module, machine: &Machine, options: &Options<'_>) -> Result<(), CodegenError> {
    let spec = &options.rules.target.spec;
    let found = module.triple();
    if found.is_empty() {
        module.set_triple(&spec.triple);
    } else if !machine.takes(&found) {
        return Err(CodegenError::Triple {
            name: options.name.to_owned(),
            found,
            target: spec.name.clone(),
            wanted: spec.triple.clone(),
        });
    }
    if module.data_layout().is_empty() {
        module.set_data_layout(&machine.data_layout());
    }
    Ok(())
}

/// With `--entry`, everything else becomes internal.
fn keep_entries(module: &Module, options: &Options<'_>) -> Result<(), CodegenError> {
    if options.entries.is_empty() {
        return Ok(());
    }
    let offered = entries(module);
    if let Some(entry) = options.entries.iter().find(|entry| !offered.contains(entry)) {
        return Err(CodegenError::Entry {
            name: options.name.to_owned(),
            entry: entry.clone(),
            help: format!("it has: {}", offered.join(", ")),
        });
    }
    for value in module.functions().into_iter().chain(module.globals()) {
        let name = name_of(value);
        // SAFETY: the value is alive; only definitions that are no part of LLVM's own bookkeeping change.
        unsafe {
            let defined = LLVMIsDeclaration(value) == 0;
            if defined && !name.starts_with("llvm.") && !options.entries.contains(&name) {
                // A relocated word keeps its linkage: a loader has to find it.
                if !is_local(value) && !is_externally_initialized(value) {
                    LLVMSetVisibility(value, llvm_sys::LLVMVisibility::LLVMDefaultVisibility);
                    LLVMSetLinkage(value, LLVMLinkage::LLVMInternalLinkage);
                }
            }
        }
    }
    Ok(())
}

/// Whether a value is a variable that something outside initialises.
///
/// # Safety
/// The value is alive.
unsafe fn is_externally_initialized(value: llvm_sys::prelude::LLVMValueRef) -> bool {
    // SAFETY: as the caller says; the question is put to variables only.
    unsafe { !LLVMIsAGlobalVariable(value).is_null() && LLVMIsExternallyInitialized(value) != 0 }
}

fn check_deferred(sites: &[LiveSite], options: &Options<'_>) -> Result<(), CodegenError> {
    let deferred = |site: &&LiveSite| {
        options.rules.strategy(&site.strategy).is_none_or(|strategy| strategy.action == Action::Apply)
    };
    match sites.iter().find(deferred) {
        Some(site) if !options.emit.is_ir() => {
            Err(CodegenError::Deferred { symbol: site.symbol.clone(), kind: options.emit.to_string() })
        }
        _ => Ok(()),
    }
}

/// Whether every strategy whose rules fired leaves an artifact that is valid elsewhere.
fn is_portable(fired: &BTreeMap<String, String>, rules: &RuleSet) -> bool {
    rules
        .rules()
        .iter()
        .filter(|rule| fired.contains_key(&rule.path))
        .filter_map(|rule| rules.strategy(rule.strategy.as_deref()?))
        .all(|strategy| strategy.portable)
}
