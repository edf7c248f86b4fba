//! What stands in the packs' files, item by item, families expanded.

use relo_grammar::span::Source;
use relo_grammar::tree::{self, Item, Sigil};

use super::parameters::constant;
use super::phase_names;
use super::scope::{Declared, RuleItem, Scope};
use crate::finding::{Finding, suggestion};
use crate::normal::{Phase, Term};
use crate::request::Request;
use crate::target::Target;

/// Where the items of a file stand while they are read.
#[derive(Clone)]
pub(super) struct Place<'a> {
    pub(super) pack: &'a str,
    pub(super) source: &'a Source,
    pub(super) phase: Option<Phase>,
    pub(super) strategy: Option<&'a tree::Strategy>,
    pub(super) family: Vec<(String, Term)>,
}

impl<'a> Scope<'a> {
    pub(super) fn item(
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
}
