//! Rules that feed themselves: what one makes another one takes, and so on in a circle.
//!
//! A phase ends where no rule makes an operation that is, over some steps, its own root again: each rewrite then trades an
//! operation for ones that come later in a finite order. Rules in a circle are fine if each of them makes an expression
//! smaller than what it matched, and doubles none of its parts.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::literal::{Atom, Conjunction, Literal, constant};
use super::logic::exclude;
use super::{Analysed, Laws};
use crate::datum::Kind;
use crate::finding::Finding;
use crate::normal::{BindingId, Construction, OperandPattern, OperandsPattern, Outcome, Rule, Term};
use crate::schema::Presence;

/// Findings for the rules of one phase.
pub(super) fn check(rules: &[&Analysed<'_>], laws: &Laws<'_>) -> Vec<Finding> {
    let mut graph: DiGraph<usize, ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = (0..rules.len()).map(|index| graph.add_node(index)).collect();
    let mut by_root: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, analysed) in rules.iter().enumerate() {
        by_root.entry(&analysed.rule.root().name).or_default().push(index);
    }
    // What its author says to fire a limited number of times closes no circle.
    let fires_on = |(_, analysed): &(usize, &&Analysed<'_>)| !laws.ends.contains(analysed.rule.base_path());
    for (index, analysed) in rules.iter().enumerate().filter(fires_on) {
        for made in made(analysed.rule, laws) {
            for taker in by_root.get(made.name.as_str()).into_iter().flatten() {
                if takes(rules[*taker], &made, laws) {
                    graph.update_edge(nodes[index], nodes[*taker], ());
                }
            }
        }
    }
    let mut findings = Vec::new();
    for circle in tarjan_scc(&graph) {
        let rules_of: Vec<&Rule> = circle.iter().map(|node| rules[graph[*node]].rule).collect();
        let feeds = circle.len() > 1 || graph.contains_edge(circle[0], circle[0]);
        if feeds && !rules_of.iter().all(|rule| shrinks(rule)) {
            findings.push(finding(&chain(&graph, &circle, rules)));
        }
    }
    findings
}

/// An operation that a rule makes.
struct Made {
    name: String,
    /// What is known of it, as a root; everything where a native makes it.
    known: Conjunction,
    strategy: Option<String>,
}

fn made(rule: &Rule, laws: &Laws<'_>) -> Vec<Made> {
    let Outcome::Rewrite { constructions, .. } = &rule.outcome else { return Vec::new() };
    let mut names: BTreeMap<BindingId, &str> = BTreeMap::new();
    for pattern in &rule.operations {
        names.extend(pattern.results.iter().flatten().map(|binding| (*binding, pattern.name.as_str())));
    }
    let mut all = Vec::new();
    for construction in constructions {
        match construction {
            Construction::Operation { name, operands, attributes, spread, types, results, .. } => {
                let mut known = Conjunction::new();
                let mut add = |holds, atom| known.insert(Literal::new(holds, atom));
                // A list of values may stand among the operands: then their positions are not known.
                let single = |term: &&Term| match term {
                    Term::Binding(binding) => rule.bindings[binding.0].kind == Kind::Value,
                    _ => false,
                };
                for (position, operand) in operands.iter().take_while(single).enumerate() {
                    if let Term::Binding(binding) = operand
                        && let Some(name) = names.get(binding)
                    {
                        let (place, name) = (format!("root.{position}"), (*name).to_owned());
                        add(true, Atom::Operation { place, name });
                    }
                }
                for (position, ty) in types.iter().enumerate() {
                    if let Some(value) = constant(ty) {
                        add(true, Atom::Is { place: format!("root#{position}:"), value });
                    }
                }
                known.extend(attributes.iter().flat_map(set));
                let strategy = attributes.iter().find_map(|(field, term)| match term {
                    Term::Str(name) if field == "strategy" => Some(name.clone()),
                    _ => None,
                });
                let facts = laws.schema.operation(name).filter(|_| spread.is_none()).unwrap_or_default();
                // What has a default is not absent where it is not set.
                for field in facts.attributes.iter().filter(|field| field.presence == Presence::Optional) {
                    if !attributes.iter().any(|(set, _)| *set == field.name) {
                        known
                            .insert(Literal::new(false, Atom::Has { place: format!("root!{}", field.name) }));
                    }
                }
                names.extend(results.iter().map(|result| (*result, name.as_str())));
                all.push(Made { name: name.clone(), known, strategy });
            }
            Construction::Global { name, attributes, .. } => {
                let known = attributes.iter().flat_map(set).collect();
                all.push(Made { name: name.clone(), known, strategy: None });
            }
            Construction::Builder { native, .. } => {
                let builds = laws.signatures.get(native.as_str()).map(|signature| &signature.builds);
                all.extend(builds.into_iter().flatten().map(|name| Made {
                    name: (*name).to_owned(),
                    known: Conjunction::new(),
                    strategy: None,
                }));
            }
        }
    }
    all
}

/// What is known of an attribute that a rule sets.
fn set((field, term): &(String, Term)) -> Vec<Literal> {
    let place = format!("root!{field}");
    let has = |holds| Literal::new(holds, Atom::Has { place: place.clone() });
    match (term, constant(term)) {
        (Term::Absent, _) => vec![has(false)],
        // A unit that is false is absent.
        (Term::Bool(false), Some(value)) => vec![Literal::new(true, Atom::Is { place, value })],
        (_, Some(value)) => vec![has(true), Literal::new(true, Atom::Is { place, value })],
        _ => vec![has(true)],
    }
}

/// Whether a rule may match what another one made.
fn takes(taker: &Analysed<'_>, made: &Made, laws: &Laws<'_>) -> bool {
    // Planning is over when rules make operations: they carry a strategy only where the rule gives them one.
    if taker.rule.strategy.is_some() && taker.rule.strategy != made.strategy {
        return false;
    }
    taker
        .demands
        .as_ref()
        .is_none_or(|demands| demands.iter().any(|demand| !exclude(&made.known, demand, laws.facts)))
}

/// Whether a rule makes an expression smaller than what it matched, with no part more often than it was there. Rewriting
/// inside an expression then makes the whole smaller, however its parts are shared.
fn shrinks(rule: &Rule) -> bool {
    let Outcome::Rewrite { constructions, root } = &rule.outcome else { return true };
    if root.replacements().is_empty() {
        return constructions.is_empty();
    }
    let mut sizes = Sizes::default();
    let mut matched: Vec<Size> = Vec::new();
    for pattern in &rule.operations {
        let OperandsPattern::List { fixed, .. } = &pattern.operands else { return false };
        let mut size = Size { operations: 1, parts: BTreeMap::new() };
        for operand in fixed {
            match operand {
                OperandPattern::Any => {}
                OperandPattern::Bind(binding) => size.add(&sizes.of(*binding)),
                OperandPattern::ResultOf { operation, .. } => size.add(&matched[*operation]),
            }
        }
        for result in pattern.results.iter().flatten() {
            sizes.0.insert(*result, size.clone());
        }
        matched.push(size);
    }
    for construction in constructions {
        let (terms, results) = match construction {
            Construction::Operation { operands, results, .. } => (operands, results.clone()),
            Construction::Builder { arguments, result, .. } => (arguments, result.iter().copied().collect()),
            Construction::Global { .. } => return false,
        };
        let mut size = Size { operations: 1, parts: BTreeMap::new() };
        for term in terms {
            if let Term::Binding(binding) = term {
                match rule.bindings[binding.0].kind {
                    Kind::Value => size.add(&sizes.of(*binding)),
                    // Several values, who knows how many.
                    Kind::List => return false,
                    _ => {}
                }
            }
        }
        sizes.0.extend(results.into_iter().map(|result| (result, size.clone())));
    }
    let before = &matched[matched.len() - 1];
    root.replacements().iter().all(|binding| sizes.of(*binding).is_below(before))
}

/// How many operations an expression has, and how often each part that the rule does not look into.
#[derive(Clone, Default)]
struct Size {
    operations: usize,
    parts: BTreeMap<BindingId, usize>,
}

impl Size {
    fn add(&mut self, other: &Self) {
        self.operations = self.operations.saturating_add(other.operations);
        for (part, count) in &other.parts {
            *self.parts.entry(*part).or_default() += count;
        }
    }

    fn is_below(&self, other: &Self) -> bool {
        self.operations < other.operations
            && self.parts.iter().all(|(part, count)| other.parts.get(part).is_some_and(|most| count <= most))
    }
}

/// The sizes of what is matched and built, by binding.
#[derive(Default)]
struct Sizes(BTreeMap<BindingId, Size>);

impl Sizes {
    fn of(&self, binding: BindingId) -> Size {
        let part = || Size { operations: 0, parts: BTreeMap::from([(binding, 1)]) };
        self.0.get(&binding).cloned().unwrap_or_else(part)
    }
}

/// The shortest way round, from the rule whose path comes first.
fn chain<'a>(graph: &DiGraph<usize, ()>, circle: &[NodeIndex], rules: &[&Analysed<'a>]) -> Vec<&'a Rule> {
    let path = |node: NodeIndex| &rules[graph[node]].rule.path;
    let Some(start) = circle.iter().copied().min_by_key(|node| path(*node)) else { return Vec::new() };
    let mut before: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        let mut next: Vec<NodeIndex> = graph.neighbors(node).filter(|next| circle.contains(next)).collect();
        next.sort_by_key(|node| path(*node));
        for next in next {
            if let Entry::Vacant(entry) = before.entry(next) {
                entry.insert(node);
                queue.push_back(next);
            }
        }
        if before.contains_key(&start) {
            break;
        }
    }
    let mut way = Vec::new();
    let mut node = start;
    while let Some(previous) = before.get(&node) {
        way.push(rules[graph[*previous]].rule);
        node = *previous;
        if node == start {
            break;
        }
    }
    way.reverse();
    way
}

fn finding(chain: &[&Rule]) -> Finding {
    let first = chain[0];
    let phase = first.phase;
    let paths: Vec<String> = chain.iter().chain([&first]).map(|rule| format!("`{}`", rule.path)).collect();
    let finding = Finding::error(
        "relo::check::endless",
        &first.source,
        first.span,
        format!("in phase `{phase}`, what these rules make they may take again: {}", paths.join(" → ")),
    )
    .label("makes what the next one matches");
    let finding = chain[1..].iter().fold(finding, |finding, rule| {
        finding.also(&rule.source, rule.span, "makes what the next one matches")
    });
    finding.help(
        "make something that no rule of the circle matches, or an expression smaller than what was matched; where it \
         ends for another reason, say so under `ends` in `pack.yaml`",
    )
}
