//! What the packs of a compilation declare: parameters, fragments, strategies and rules, and who sees them.

use std::collections::{BTreeMap, BTreeSet};

use relo_grammar::span::{Name, Source};
use relo_grammar::tree::{self, Fragment, Outcome, Prefer};

use super::declaring::Place;
use crate::finding::Finding;
use crate::library::Library;
use crate::normal::{Phase, Term};
use crate::pack::Pack;
use crate::request::Request;
use crate::target::Target;

/// Everything declared, by pack.
pub(crate) struct Scope<'a> {
    pub(super) packs: Vec<PackScope<'a>>,
    pub(super) sources: Vec<&'a Source>,
    /// Rules in the order of packs and files, overridden ones replaced.
    pub(crate) rules: Vec<RuleItem<'a>>,
    /// Strategies.
    pub(crate) strategies: Vec<Declared<'a, tree::Strategy>>,
    /// What wins over what.
    pub(crate) prefers: Vec<Declared<'a, Prefer>>,
    /// What is declared of natives.
    pub(crate) facts: Vec<Declared<'a, tree::Fact>>,
    /// Every property that any target of the library has.
    properties: BTreeSet<String>,
    /// What items declare that could not be read.
    unread: BTreeSet<&'a str>,
}

/// A declaration, with the pack and the text it stands in.
pub(crate) struct Declared<'a, T> {
    pub(crate) pack: &'a str,
    pub(crate) source: &'a Source,
    pub(crate) item: &'a T,
}

pub(super) struct PackScope<'a> {
    pub(super) pack: &'a Pack,
    /// Itself, and what it uses, directly or not.
    pub(super) visible: Vec<&'a str>,
    pub(super) fragments: BTreeMap<&'a str, (usize, &'a Fragment)>,
    pub(super) parameters: BTreeMap<&'a str, Term>,
}

/// A rule to normalise.
pub(crate) struct RuleItem<'a> {
    /// The pack whose names it sees.
    pub(crate) pack: &'a str,
    pub(crate) phase: Phase,
    pub(crate) strategy: Option<&'a tree::Strategy>,
    pub(crate) source: &'a Source,
    pub(crate) name: &'a Name,
    pub(crate) matches: &'a tree::Match,
    pub(crate) wheres: Option<&'a tree::Where>,
    pub(crate) outcome: &'a Outcome,
    pub(crate) attributes: Option<&'a Name>,
    /// A family's variables, as spelled, and their values.
    pub(crate) family: Vec<(String, Term)>,
    pub(super) path: String,
}

impl RuleItem<'_> {
    /// `pack.rule` or `pack.strategy.rule`, with a family's values in brackets.
    pub(crate) fn path(&self) -> String {
        let values: String = self.family.iter().map(|(_, value)| format!("[{}]", spelling(value))).collect();
        format!("{}{values}", self.path)
    }

    /// The path that `prefer` and `override` use: without a family's values.
    pub(crate) fn base_path(&self) -> &str {
        &self.path
    }
}

fn spelling(term: &Term) -> String {
    match term {
        Term::Type(text) | Term::Str(text) => text.clone(),
        Term::Int(number) => number.to_string(),
        Term::Bool(value) => value.to_string(),
        _ => String::new(),
    }
}

impl<'a> Scope<'a> {
    /// Reads what the packs declare, with the request's values of parameters.
    pub(crate) fn new(
        library: &'a Library,
        packs: &[&'a Pack],
        target: &'a Target,
        request: &'a Request,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut scope = Self {
            packs: Vec::new(),
            sources: Vec::new(),
            rules: Vec::new(),
            strategies: Vec::new(),
            prefers: Vec::new(),
            facts: Vec::new(),
            properties: library.targets().flat_map(|(_, target)| target.properties.keys().cloned()).collect(),
            unread: packs.iter().flat_map(|pack| pack.unread()).collect(),
        };
        let mut overrides = Vec::new();
        for pack in packs {
            let visible = library.closure(&[&pack.name], false);
            scope.packs.push(PackScope {
                pack,
                visible: visible.into_iter().rev().map(|pack| pack.name.as_str()).collect(),
                fragments: BTreeMap::new(),
                parameters: BTreeMap::new(),
            });
            for (source, file) in &pack.files {
                scope.sources.push(source);
                let mut place =
                    Place { pack: &pack.name, source, phase: None, strategy: None, family: Vec::new() };
                for item in &file.items {
                    scope.item(item, &mut place, target, request, &mut overrides, findings);
                }
            }
        }
        scope.apply_overrides(overrides, findings);
        scope.check_duplicates(findings);
        scope
    }

    /// What each pack sees: itself, and what it uses, directly or not.
    pub(crate) fn seen(&self) -> impl Iterator<Item = (&'a str, Vec<&'a str>)> {
        self.packs.iter().map(|scope| (scope.pack.name.as_str(), scope.visible.clone()))
    }

    /// A pack that takes part.
    pub(crate) fn pack(&self, name: &str) -> Option<&'a Pack> {
        self.packs.iter().map(|scope| scope.pack).find(|pack| pack.name == name)
    }

    /// The text that a fragment came from.
    pub(crate) fn source(&self, index: usize) -> &'a Source {
        self.sources[index]
    }

    /// A fragment that a pack sees: its own before those of the packs it uses.
    pub(crate) fn fragment(&self, pack: &str, name: &str) -> Option<(usize, &'a Fragment)> {
        self.visible(pack).find_map(|scope| scope.fragments.get(name).copied())
    }

    /// The fragments that a pack sees.
    pub(crate) fn fragment_names(&self, pack: &str) -> Vec<String> {
        self.visible(pack).flat_map(|scope| scope.fragments.keys().map(|name| (*name).to_owned())).collect()
    }

    /// A parameter that a pack sees.
    pub(crate) fn parameter_value(&self, pack: &str, name: &str) -> Option<&Term> {
        self.visible(pack).find_map(|scope| scope.parameters.get(name))
    }

    /// The parameters that a pack sees.
    pub(crate) fn parameter_names(&self, pack: &str) -> Vec<String> {
        self.visible(pack).flat_map(|scope| scope.parameters.keys().map(|name| (*name).to_owned())).collect()
    }

    /// Every property that some target has: a rule that names another is a mistake.
    pub(crate) fn properties(&self) -> &BTreeSet<String> {
        &self.properties
    }

    /// Whether a name, or the last part of a path, may be that of an item that could not be read: that it is not there
    /// is no mistake of those who use it.
    pub(crate) fn is_unread(&self, path: &str) -> bool {
        self.unread.contains(path.rsplit('.').next().unwrap_or(path))
    }

    /// Whether a strategy is declared, be it with mistakes.
    pub(crate) fn declares_strategy(&self, name: &str) -> bool {
        self.is_unread(name) || self.strategies.iter().any(|strategy| strategy.item.name.item == name)
    }

    /// Whether all items could be read.
    pub(crate) fn is_whole(&self) -> bool {
        self.unread.is_empty()
    }

    fn visible<'s>(&'s self, pack: &str) -> impl Iterator<Item = &'s PackScope<'a>> {
        let names = self
            .packs
            .iter()
            .find(|scope| scope.pack.name == pack)
            .map(|scope| scope.visible.as_slice())
            .unwrap_or_default();
        names.iter().filter_map(|name| self.packs.iter().find(|scope| scope.pack.name == *name))
    }
}

/// `core.patch.slot`, as text.
pub(crate) fn joined(path: &tree::Path) -> String {
    path.item.iter().map(|name| name.item.as_str()).collect::<Vec<_>>().join(".")
}
