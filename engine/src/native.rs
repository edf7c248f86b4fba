//! Natives: the functions that rules call, with their signatures and docs in one place.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use indexmap::IndexMap;

use crate::datum::{Datum, Kind};

/// What a native does to the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Looks only; usable in conditions. It may fail, which means that the condition does not hold.
    Pure,
    /// Builds IR; usable in rewrites only, and can't fail.
    Builder,
}

/// How a native is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name.
    pub name: &'static str,
    /// The parameters: name and kind.
    pub parameters: Vec<(&'static str, Kind)>,
    /// What it gives back; nothing for a plain predicate.
    pub results: Vec<Kind>,
    /// What it does to the IR.
    pub effect: Effect,
    /// One sentence or more for authors.
    pub doc: &'static str,
    /// Whether it always has an answer, or stops the compilation with a diagnostic of its own.
    pub total: bool,
    /// The operations that a builder may make.
    pub builds: Vec<&'static str>,
    /// Natives of the same parameters that hold wherever this one does.
    pub implies: Vec<&'static str>,
    /// Natives of the same parameters that hold nowhere where this one does.
    pub disjoint: Vec<&'static str>,
}

/// `None` where the native has no answer: the condition that called it does not hold.
pub type Answer = Option<Vec<Datum>>;

type Run<H> = Box<dyn Fn(&mut H, &[Datum]) -> Answer>;

/// A native over the host `H`.
pub struct Native<H> {
    /// How it is called.
    pub signature: Signature,
    run: Run<H>,
}

impl<H> Native<H> {
    /// A native that looks only.
    pub fn pure(
        name: &'static str,
        parameters: &[(&'static str, Kind)],
        results: &[Kind],
        doc: &'static str,
        run: impl Fn(&mut H, &[Datum]) -> Answer + 'static,
    ) -> Self {
        Self::with_effect(Effect::Pure, name, parameters, results, doc, run)
    }

    /// A native that builds IR and can't fail.
    pub fn builder(
        name: &'static str,
        parameters: &[(&'static str, Kind)],
        results: &[Kind],
        doc: &'static str,
        run: impl Fn(&mut H, &[Datum]) -> Answer + 'static,
    ) -> Self {
        Self::with_effect(Effect::Builder, name, parameters, results, doc, run)
    }

    fn with_effect(
        effect: Effect,
        name: &'static str,
        parameters: &[(&'static str, Kind)],
        results: &[Kind],
        doc: &'static str,
        run: impl Fn(&mut H, &[Datum]) -> Answer + 'static,
    ) -> Self {
        let signature = Signature {
            name,
            parameters: parameters.to_vec(),
            results: results.to_vec(),
            effect,
            doc,
            total: false,
            builds: Vec::new(),
            implies: Vec::new(),
            disjoint: Vec::new(),
        };
        Self { signature, run: Box::new(run) }
    }

    /// Declares that it always has an answer, or stops the compilation with a diagnostic of its own.
    #[must_use]
    pub fn total(mut self) -> Self {
        self.signature.total = true;
        self
    }

    /// Declares the operations that it may make.
    #[must_use]
    pub fn builds(mut self, operations: &[&'static str]) -> Self {
        self.signature.builds = operations.to_vec();
        self
    }

    /// Declares natives that hold wherever this one does.
    #[must_use]
    pub fn implies(mut self, natives: &[&'static str]) -> Self {
        self.signature.implies = natives.to_vec();
        self
    }

    /// Declares natives that hold nowhere where this one does.
    #[must_use]
    pub fn disjoint(mut self, natives: &[&'static str]) -> Self {
        self.signature.disjoint = natives.to_vec();
        self
    }
}

/// How often a native was called, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// How often.
    pub count: usize,
    /// How long.
    pub time: Duration,
}

/// All natives of a host, by name.
pub struct Natives<H> {
    natives: IndexMap<&'static str, Native<H>>,
    /// What each was called for, where somebody asked.
    calls: Option<RefCell<BTreeMap<&'static str, Calls>>>,
}

impl<H> Default for Natives<H> {
    fn default() -> Self {
        Self { natives: IndexMap::new(), calls: None }
    }
}

impl<H> Natives<H> {
    /// Adds one; the last of a name wins, so that a library's user can replace ours.
    pub fn add(&mut self, native: Native<H>) {
        self.natives.insert(native.signature.name, native);
    }

    /// One by name.
    pub fn get(&self, name: &str) -> Option<&Native<H>> {
        self.natives.get(name)
    }

    /// Takes the time of each call from now on.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.calls = Some(RefCell::default());
        self
    }

    /// The calls since then, by name.
    pub fn calls(&self) -> BTreeMap<&'static str, Calls> {
        self.calls.as_ref().map(|calls| calls.borrow().clone()).unwrap_or_default()
    }

    /// Calls a native. The arguments are of the signature's number and kinds.
    pub fn call(&self, native: &Native<H>, host: &mut H, arguments: &[Datum]) -> Answer {
        let Some(calls) = &self.calls else { return (native.run)(host, arguments) };
        let start = Instant::now();
        let answer = (native.run)(host, arguments);
        let mut calls = calls.borrow_mut();
        let own = calls.entry(native.signature.name).or_default();
        own.count += 1;
        own.time += start.elapsed();
        answer
    }

    /// All signatures, by name: what the checker needs.
    pub fn signatures(&self) -> IndexMap<&'static str, Signature> {
        let mut signatures: IndexMap<_, _> =
            self.natives.iter().map(|(name, native)| (*name, native.signature.clone())).collect();
        signatures.sort_unstable_keys();
        signatures
    }
}
