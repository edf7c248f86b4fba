//! Captures: which binding a name stands for.

use std::collections::BTreeMap;

use relo_grammar::span::Span;
use relo_grammar::tree::{Capture, Sigil};

use super::Normaliser;
use crate::datum::Kind;
use crate::finding::suggestion;
use crate::normal::{Binding, BindingId, Term};

/// The captures of a rule, or of a fragment being expanded in it.
#[derive(Default)]
pub(super) struct Frame {
    /// By name with sigil.
    pub(super) names: BTreeMap<String, Bound>,
    /// The file of the fragment, as the scope numbers them; the rule's own where absent.
    pub(super) source: Option<usize>,
}

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Bound {
    /// A binding.
    Binding(BindingId),
    /// A constant that a fragment's user passed, or a family's value.
    Term(Term, Kind),
}

/// `%x`, as written.
pub(super) fn spelled(capture: &Capture) -> String {
    let sigil = match capture.sigil {
        Sigil::Value => '%',
        Sigil::Symbol => '@',
        Sigil::Data => '$',
    };
    format!("{sigil}{}", capture.name.item)
}

fn kind_of(sigil: Sigil) -> Kind {
    match sigil {
        Sigil::Value => Kind::Value,
        Sigil::Symbol => Kind::Symbol,
        Sigil::Data => Kind::Any,
    }
}

impl Normaliser<'_> {
    /// A new binding without a name.
    pub(super) fn fresh(&mut self, kind: Kind, span: Span) -> BindingId {
        self.bindings.push(Binding { name: String::new(), kind, span });
        self.uses.push(1);
        BindingId(self.bindings.len() - 1)
    }

    /// What a capture stands for, if it is bound; this counts as a use.
    pub(super) fn lookup(&mut self, capture: &Capture) -> Option<(Term, Kind)> {
        let name = spelled(capture);
        if let Some(bound) = self.frames.last().and_then(|frame| frame.names.get(&name)) {
            return Some(match bound {
                Bound::Binding(binding) => {
                    self.uses[binding.0] += 1;
                    (Term::Binding(*binding), self.bindings[binding.0].kind)
                }
                Bound::Term(term, kind) => (term.clone(), *kind),
            });
        }
        let family = self.item.family.iter().find(|(variable, _)| *variable == name)?;
        let kind = match family.1 {
            Term::Type(_) => Kind::Type,
            Term::Int(_) => Kind::Int,
            Term::Bool(_) => Kind::Bool,
            _ => Kind::Str,
        };
        Some((family.1.clone(), kind))
    }

    /// Whether a capture stands for something; asking is no use.
    pub(super) fn is_bound(&self, capture: &Capture) -> bool {
        let name = spelled(capture);
        self.frames.last().is_some_and(|frame| frame.names.contains_key(&name))
            || self.item.family.iter().any(|(variable, _)| *variable == name)
    }

    /// Where a capture was bound: its kind was decided there.
    pub(super) fn decided(&self, name: &str) -> Option<Span> {
        match self.frames.last()?.names.get(name)? {
            Bound::Binding(binding) => Some(self.bindings[binding.0].span),
            Bound::Term(..) => None,
        }
    }

    /// Binds a capture that is not bound yet.
    pub(super) fn bind(&mut self, capture: &Capture, kind: Option<Kind>) -> BindingId {
        let name = spelled(capture);
        let kind = kind.unwrap_or_else(|| kind_of(capture.sigil));
        self.bindings.push(Binding { name: name.clone(), kind, span: capture.name.span });
        // A fragment's own captures are its author's business: they count as used in the rule.
        self.uses.push(usize::from(self.frames.len() > 1));
        let binding = BindingId(self.bindings.len() - 1);
        if let Some(frame) = self.frames.last_mut() {
            frame.names.insert(name, Bound::Binding(binding));
        }
        binding
    }

    /// Binds what a broken line would have bound, so that one mistake is told once.
    pub(super) fn bind_anyway<'c>(&mut self, captures: impl IntoIterator<Item = &'c Capture>) {
        for capture in captures {
            if self.lookup(capture).is_none() {
                let binding = self.bind(capture, Some(Kind::Any));
                self.uses[binding.0] += 1;
            }
        }
    }

    /// Reports a capture that is not bound.
    pub(super) fn unbound(&mut self, capture: &Capture) {
        let name = spelled(capture);
        let known: Vec<String> =
            self.frames.last().map(|frame| frame.names.keys().cloned().collect()).unwrap_or_default();
        let help = suggestion(&name, known.iter().map(String::as_str));
        let finding =
            self.error("relo::check::unbound_capture", capture.name.span, format!("nothing binds `{name}`"));
        finding.labels[0].text = "used here".to_owned();
        finding.help = Some(help);
    }

    /// Reports captures that nothing uses; a name that starts with `_` says that this is meant.
    pub(super) fn check_unused(&mut self) {
        if !self.findings.is_empty() {
            return;
        }
        for index in 0..self.bindings.len() {
            let binding = &self.bindings[index];
            let bare = binding.name.trim_start_matches(['%', '@', '$']);
            if self.uses[index] > 0 || bare.is_empty() || bare.starts_with('_') {
                continue;
            }
            let (name, span) = (binding.name.clone(), binding.span);
            let sigil = &name[..1];
            let finding = self.error("relo::check::unused_capture", span, format!("nothing uses `{name}`"));
            finding.labels[0].text = "bound here".to_owned();
            finding.help = Some(format!("write `{sigil}_{}` if this is meant", &name[1..]));
        }
    }
}
