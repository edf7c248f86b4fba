//! Natives: the functions that rules call, with their signatures and docs in one place.

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

    /// Calls it. The arguments are of the signature's number and kinds.
    pub fn call(&self, host: &mut H, arguments: &[Datum]) -> Answer {
        (self.run)(host, arguments)
    }
}

/// All natives of a host, by name.
pub struct Natives<H> {
    natives: IndexMap<&'static str, Native<H>>,
}

impl<H> Default for Natives<H> {
    fn default() -> Self {
        Self { natives: IndexMap::new() }
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

    /// All signatures, by name: what the checker needs.
    pub fn signatures(&self) -> IndexMap<&'static str, Signature> {
        let mut signatures: IndexMap<_, _> =
            self.natives.iter().map(|(name, native)| (*name, native.signature.clone())).collect();
        signatures.sort_unstable_keys();
        signatures
    }
}
