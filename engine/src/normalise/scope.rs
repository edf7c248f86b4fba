//! What the packs of a compilation declare: parameters, fragments, strategies and rules, families expanded.

use std::collections::{BTreeMap, BTreeSet};

use relo_grammar::span::{Name, Source};
use relo_grammar::tree::{self, Expr, ExprKind, Fragment, Item, Outcome, Prefer, Sigil};

use super::phase_names;
use crate::finding::{Finding, suggestion};
use crate::library::Library;
use crate::normal::{Phase, Term};
use crate::pack::Pack;
use crate::request::Request;
use crate::target::{Target, setting_term};

/// Everything declared, by pack.
pub(crate) struct Scope<'a> {
    packs: Vec<PackScope<'a>>,
    sources: Vec<&'a Source>,
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

struct PackScope<'a> {
    pack: &'a Pack,
    /// Itself, and what it uses, directly or not.
    visible: Vec<&'a str>,
    fragments: BTreeMap<&'a str, (usize, &'a Fragment)>,
    parameters: BTreeMap<&'a str, Term>,
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

/// Where the items of a file stand while they are read.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) pack: &'a str,
    pub(super) source: &'a Source,
    phase: Option<Phase>,
    strategy: Option<&'a tree::Strategy>,
    family: Vec<(String, Term)>,
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

    fn item(
        &mut self,
        item: &'a Item,
        place: &mut Place<'a>,
        target: &Target,
        request: &Request,
        overrides: &mut Vec<(Place<'a>, &'a tree::Override)>,
        findings: &mut Vec<Finding>,
    ) {
        match item {
            Item::Pack(name) if name.item != place.pack => findings.push(
                Finding::error(
                    "relo::check::pack_name",
                    place.source,
                    name.span,
                    format!("this file lies in pack `{}`, not `{}`", place.pack, name.item),
                )
                .help(format!("write `pack {}`, or move the file", place.pack)),
            ),
            Item::Phase(name) => {
                place.phase = Phase::by_name(&name.item);
                if place.phase.is_none() {
                    findings.push(
                        Finding::error(
                            "relo::check::unknown_phase",
                            place.source,
                            name.span,
                            format!("there is no phase `{}`", name.item),
                        )
                        .help(suggestion(&name.item, phase_names())),
                    );
                }
            }
            Item::Use(name) => {
                let visible = self.packs.last().map(|pack| pack.visible.as_slice()).unwrap_or_default();
                if !visible.contains(&name.item.as_str()) {
                    findings.push(
                        Finding::error(
                            "relo::check::unused_pack",
                            place.source,
                            name.span,
                            format!("pack `{}` does not use `{}`", place.pack, name.item),
                        )
                        .help(format!("add `{}` to `uses` in its pack.yaml", name.item)),
                    );
                }
            }
            Item::Param(param) => {
                let value = self.parameter(param, place, target, request, findings);
                if let (Some(pack), Some(value)) = (self.packs.last_mut(), value) {
                    pack.parameters.insert(&param.name.item, value);
                }
            }
            Item::Fragment(fragment) => {
                let source = self.sources.len() - 1;
                if let Some(pack) = self.packs.last_mut()
                    && let Some((first, other)) =
                        pack.fragments.insert(&fragment.name.item, (source, fragment))
                {
                    findings.push(
                        Finding::error(
                            "relo::check::duplicate_name",
                            place.source,
                            fragment.name.span,
                            format!("fragment `{}` is defined twice", fragment.name.item),
                        )
                        .label("defined again")
                        .help("give one of them another name")
                        .also(self.sources[first], other.name.span, "defined first"),
                    );
                }
            }
            Item::Rule(rule) => self.rule(rule, place, findings),
            Item::Strategy(strategy) => {
                self.strategies.push(Declared { pack: place.pack, source: place.source, item: strategy });
                let mut inner = Place { strategy: Some(strategy), ..place.clone() };
                for item in &strategy.items {
                    self.item(item, &mut inner, target, request, overrides, findings);
                }
            }
            Item::Family(family) => {
                for value in &family.values {
                    let Some(term) = constant(value, target) else {
                        findings.push(
                            Finding::error(
                                "relo::check::family_value",
                                place.source,
                                value.span,
                                "a family's values are constants",
                            )
                            .label("this is none")
                            .help("write numbers, text or types, as in `for $T in { i32, i64 } { … }`"),
                        );
                        continue;
                    };
                    let sigil = if family.variable.sigil == Sigil::Data { "$" } else { "%" };
                    let name = format!("{sigil}{}", family.variable.name.item);
                    let mut inner = place.clone();
                    inner.family.push((name, term));
                    for item in &family.items {
                        self.item(item, &mut inner, target, request, overrides, findings);
                    }
                }
            }
            Item::Prefer(prefer) => {
                self.prefers.push(Declared { pack: place.pack, source: place.source, item: prefer });
            }
            Item::Override(item) => overrides.push((place.clone(), item)),
            Item::Fact(fact) => {
                self.facts.push(Declared { pack: place.pack, source: place.source, item: fact });
            }
            Item::Pack(_) => {}
        }
    }

    fn rule(&mut self, rule: &'a tree::Rule, place: &Place<'a>, findings: &mut Vec<Finding>) {
        let Some(phase) = place.phase else {
            findings.push(
                Finding::error(
                    "relo::check::no_phase",
                    place.source,
                    rule.name.span,
                    format!("rule `{}` stands in no phase", rule.name.item),
                )
                .help("write `phase lift`, `fold`, `lower` or `finish` above it"),
            );
            return;
        };
        let path = match place.strategy {
            Some(strategy) => format!("{}.{}.{}", place.pack, strategy.name.item, rule.name.item),
            None => format!("{}.{}", place.pack, rule.name.item),
        };
        self.rules.push(RuleItem {
            pack: place.pack,
            phase,
            strategy: place.strategy,
            source: place.source,
            name: &rule.name,
            matches: &rule.matches,
            wheres: rule.wheres.as_ref(),
            outcome: &rule.outcome,
            attributes: rule.attributes.as_ref(),
            family: place.family.clone(),
            path,
        });
    }

    fn parameter(
        &self,
        param: &tree::Param,
        place: &Place<'a>,
        target: &Target,
        request: &Request,
        findings: &mut Vec<Finding>,
    ) -> Option<Term> {
        let key = format!("{}.{}", place.pack, param.name.item);
        let set = request.settings.get(&key).or_else(|| target.spec.parameters.get(&key));
        let value = match (set, &param.default) {
            (Some(setting), _) => setting_term(setting),
            (None, Some(default)) => constant(default, target).unwrap_or(Term::Absent),
            (None, None) if request.placeholders => match param.kind.item.as_str() {
                "int" => Term::Int(0),
                "bool" => Term::Bool(false),
                "[string]" => Term::List(Vec::new()),
                _ => Term::Str(String::new()),
            },
            (None, None) => {
                findings.push(
                    Finding::error(
                        "relo::check::parameter_missing",
                        place.source,
                        param.name.span,
                        format!("parameter `{key}` has no value"),
                    )
                    .label("it has no default")
                    .help(format!("give it one with `--set {key}=…`, or in the target's `parameters`")),
                );
                // Known, so that its uses are not reported too.
                return Some(Term::Absent);
            }
        };
        let fits = match param.kind.item.as_str() {
            "string" => matches!(value, Term::Str(_)),
            "int" => matches!(value, Term::Int(_)),
            "bool" => matches!(value, Term::Bool(_)),
            "[string]" => {
                matches!(&value, Term::List(items) if items.iter().all(|item| matches!(item, Term::Str(_))))
            }
            other => {
                findings.push(
                    Finding::error(
                        "relo::check::parameter_kind",
                        place.source,
                        param.kind.span,
                        format!("there is no kind of parameter `{other}`"),
                    )
                    .help(suggestion(other, ["string", "int", "bool", "[string]"])),
                );
                return None;
            }
        };
        if !fits {
            let message = format!("the value of parameter `{key}` is not of kind `{}`", param.kind.item);
            let at = match (set, &param.default) {
                (None, Some(default)) => default.span,
                _ => param.kind.span,
            };
            findings.push(
                Finding::error("relo::check::parameter_value", place.source, at, message)
                    .label(if set.is_some() { "another value is set for it" } else { "its default" })
                    .help(match param.kind.item.as_str() {
                        "string" => "a string stands in quotes: `\"text\"`",
                        "int" => "an int is a number without quotes: `8`",
                        "bool" => "a bool is `true` or `false`",
                        _ => "several strings are a list: `[\"one\", \"two\"]`",
                    }),
            );
        }
        Some(value)
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

/// The value of an expression that names nothing.
fn constant(expr: &Expr, target: &Target) -> Option<Term> {
    Some(match &expr.kind {
        ExprKind::Bool(value) => Term::Bool(*value),
        ExprKind::Int(value) => Term::Int(*value),
        ExprKind::Str(text) => Term::Str(text.clone()),
        ExprKind::Type(text) => Term::Type(text.clone()),
        ExprKind::Word(word) => type_word(word, target).map_or_else(|| Term::Str(word.clone()), Term::Type),
        ExprKind::List(items) => {
            Term::List(items.iter().map(|item| constant(item, target)).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A bare word that is a type, as MLIR text: `i64`, `f32`, `ptr`, `word`.
pub(super) fn type_word(word: &str, target: &Target) -> Option<String> {
    match word {
        "ptr" => Some("!llvm.ptr".to_owned()),
        "word" => Some(target.word_type()),
        _ => {
            let digits = word.strip_prefix(['i', 'f'])?;
            (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| word.to_owned())
        }
    }
}
