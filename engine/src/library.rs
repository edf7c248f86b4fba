//! All packs that there are.

use std::sync::Arc;

use indexmap::IndexMap;
use relo_grammar::span::{Source, Span};

use crate::finding::{Finding, suggestion};
use crate::pack::{Activation, Pack, TargetSpec};
use crate::request::Request;

/// The texts of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackSource {
    /// Its `pack.yaml`.
    pub yaml: Source,
    /// Its rule files; their order does not matter.
    pub files: Vec<Source>,
}

/// Packs by name.
#[derive(Clone, Debug, Default)]
pub struct Library {
    packs: IndexMap<String, Arc<Pack>>,
}

impl Library {
    /// Reads packs; a later pack of the same name replaces an earlier one. The findings are those of form and of
    /// packs' names for each other; what is in the rules, [`crate::RuleSet::new`] checks.
    pub fn new(sources: &[PackSource]) -> (Self, Vec<Finding>) {
        let mut packs = IndexMap::new();
        let mut findings = IndexMap::new();
        for source in sources {
            let mut source = source.clone();
            source.files.sort();
            let (pack, found) = Pack::read(&source);
            let name = pack.as_ref().map_or_else(|| source.yaml.name.to_string(), |pack| pack.name.clone());
            findings.insert(name, found);
            if let Some(pack) = pack {
                packs.insert(pack.name.clone(), Arc::new(pack));
            }
        }
        packs.sort_unstable_keys();
        let library = Self { packs };
        let mut findings: Vec<Finding> = findings.into_values().flatten().collect();
        library.check_uses(&mut findings);
        library.check_targets(&mut findings);
        (library, findings)
    }

    /// All packs, by name.
    pub fn packs(&self) -> impl Iterator<Item = &Pack> {
        self.packs.values().map(Arc::as_ref)
    }

    /// The library with another text of one rule file, and what is wrong with the form of that; what was read of the
    /// others is shared. `None` where no pack has such a file.
    pub fn with_file(&self, file: &Source) -> Option<(Self, Vec<Finding>)> {
        let has_it = |pack: &Pack| pack.files.iter().any(|(source, _)| source.name == file.name);
        let old = self.packs().find(|pack| has_it(pack))?;
        let (pack, findings) = old.with_file(file);
        let mut packs = self.packs.clone();
        packs.insert(pack.name.clone(), Arc::new(pack));
        Some((Self { packs }, findings))
    }

    /// A pack.
    pub fn pack(&self, name: &str) -> Option<&Pack> {
        self.packs.get(name).map(Arc::as_ref)
    }

    /// A target, and the pack that defines it.
    pub fn target(&self, name: &str) -> Option<(&Pack, &TargetSpec)> {
        self.packs().find_map(|pack| Some((pack, pack.targets.get(name)?)))
    }

    /// All targets, by name.
    pub fn targets(&self) -> impl Iterator<Item = (&Pack, &TargetSpec)> {
        self.packs().flat_map(|pack| pack.targets.values().map(move |target| (pack, target)))
    }

    /// The packs that take part: `roots`, what they use, and with a session table those that act on one. Used
    /// packs come before those that use them.
    pub fn closure(&self, roots: &[&str], with_session: bool) -> Vec<&Pack> {
        let mut order = Vec::new();
        let mut seen = Vec::new();
        let session = self
            .packs
            .values()
            .filter(|pack| with_session && pack.active == Some(Activation::Session))
            .map(|pack| pack.name.as_str());
        for root in roots.iter().copied().chain(session) {
            self.visit(root, &mut seen, &mut order);
        }
        order
    }

    /// The packs that take part in a compilation.
    pub fn taking_part(&self, request: &Request) -> Vec<&Pack> {
        let target = self.target(&request.target).map(|(pack, _)| pack.name.as_str());
        let roots: Vec<&str> = target.into_iter().chain(request.packs.iter().map(String::as_str)).collect();
        self.closure(&roots, request.with_session)
    }

    fn visit<'a>(&'a self, name: &str, seen: &mut Vec<&'a str>, order: &mut Vec<&'a Pack>) {
        let Some(pack) = self.packs.get(name) else { return };
        if seen.contains(&pack.name.as_str()) {
            return;
        }
        seen.push(&pack.name);
        for used in &pack.uses {
            self.visit(used, seen, order);
        }
        order.push(pack);
    }

    fn check_uses(&self, findings: &mut Vec<Finding>) {
        for pack in self.packs.values() {
            for (index, used) in pack.uses.iter().enumerate() {
                let place = pack.place(&format!("uses/{index}"));
                if !self.packs.contains_key(used) {
                    let names = self.packs.keys().map(String::as_str);
                    findings.push(
                        Finding::error(
                            "relo::pack::unknown_pack",
                            &pack.yaml,
                            place,
                            format!("there is no pack `{used}`"),
                        )
                        .label("used here")
                        .help(suggestion(used, names)),
                    );
                } else if let Some(cycle) = self.cycle(&pack.name, used) {
                    findings.push(
                        Finding::error(
                            "relo::pack::cycle",
                            &pack.yaml,
                            place,
                            format!("packs use each other: {}", cycle.join(" uses ")),
                        )
                        .label("closes the cycle")
                        .help("move what both need into a third pack"),
                    );
                }
            }
        }
    }

    /// The chain from `from` back to `pack`, if there is one.
    fn cycle(&self, pack: &str, from: &str) -> Option<Vec<String>> {
        let mut chain = vec![pack.to_owned(), from.to_owned()];
        let mut seen = vec![from.to_owned()];
        fn walk(library: &Library, goal: &str, chain: &mut Vec<String>, seen: &mut Vec<String>) -> bool {
            let last = chain.last().expect("the chain starts with two names").clone();
            if last == goal {
                return true;
            }
            for used in library.packs.get(&last).map(|pack| pack.uses.as_slice()).unwrap_or_default() {
                if used == goal || !seen.contains(used) {
                    seen.push(used.clone());
                    chain.push(used.clone());
                    if walk(library, goal, chain, seen) {
                        return true;
                    }
                    chain.pop();
                }
            }
            false
        }
        walk(self, pack, &mut chain, &mut seen).then_some(chain)
    }

    fn check_targets(&self, findings: &mut Vec<Finding>) {
        let mut first: IndexMap<&str, &Pack> = IndexMap::new();
        for (pack, target) in self.targets() {
            let path = format!("targets/{}", target.name);
            let place: Span = pack.key_place(&path);
            if let Some(other) = first.insert(&target.name, pack) {
                findings.push(
                    Finding::error(
                        "relo::pack::duplicate_target",
                        &pack.yaml,
                        place,
                        format!("target `{}` is defined twice", target.name),
                    )
                    .label("defined again")
                    .also(&other.yaml, other.key_place(&path), "defined first")
                    .help("give one of them another name"),
                );
            }
        }
    }
}
