//! Which cells of referent kind × site kind × strategy the rules of a target answer.
//!
//! A site of a kind is there in the operations that the dialect's schema lists for it: each of them must be lowered, or
//! refused, in every case that the rules' conditions tell apart.

use std::fmt;

use relo_referent::Action;

use super::literal::{Atom, Conjunction, Literal};
use super::logic::{exclude, gap};
use super::{Analysed, Laws};
use crate::finding::Finding;
use crate::normal::{Outcome, Phase};
use crate::pack::TargetSpec;
use crate::plan::SiteKind;
use crate::ruleset::StrategySpec;
use crate::schema::Presence;

/// The kinds of referent, as rules spell them.
pub const REFERENT_KINDS: [&str; 3] = ["object", "symbol", "word"];

/// A cell of the table.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Cell {
    /// The strategy.
    pub strategy: String,
    /// The kind of site: `slot` or `record`.
    pub site: &'static str,
    /// The kind of referent.
    pub referent: &'static str,
    /// What becomes of it.
    #[serde(flatten)]
    pub answer: Answer,
}

/// What becomes of a cell.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Answer {
    /// Rules lower it.
    Lowered,
    /// Rules lower some uses of it and refuse others, named by operation.
    Refused {
        /// The operations that are refused.
        operations: Vec<String>,
    },
    /// The strategy does not deliver such a site: planning refuses it.
    NotDelivered,
    /// The target's loaders can't do what the strategy asks for: planning refuses it.
    NoLoader,
    /// Nothing answers an operation in some case.
    Uncovered {
        /// The operation.
        operation: String,
        /// The case, as conditions; none where it is every case.
        case: Vec<String>,
    },
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lowered => f.write_str("lowered"),
            Self::Refused { operations } => write!(f, "lowered, refuses {}", operations.join(", ")),
            Self::NotDelivered => f.write_str("not delivered"),
            Self::NoLoader => f.write_str("no loader"),
            Self::Uncovered { operation, case } if case.is_empty() => write!(f, "no rule for {operation}"),
            Self::Uncovered { operation, case } => {
                write!(f, "no rule for {operation} where {}", case.join(" and "))
            }
        }
    }
}

/// The table of a target, strategies in the order of their names.
pub(super) fn cells(
    rules: &[Analysed<'_>],
    strategies: &[StrategySpec],
    target: &TargetSpec,
    laws: &Laws<'_>,
) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut strategies: Vec<&StrategySpec> = strategies.iter().collect();
    strategies.sort();
    for strategy in strategies {
        for site in SiteKind::ALL {
            let answer = if !strategy.sites.contains(&site) {
                Answer::NotDelivered
            } else if !target.can(strategy.action) {
                Answer::NoLoader
            } else {
                answer(rules, strategy, site, laws)
            };
            // No condition tells referents apart by their kind: what holds of one holds of all.
            cells.extend(REFERENT_KINDS.map(|referent| Cell {
                strategy: strategy.name.clone(),
                site: site.name(),
                referent,
                answer: answer.clone(),
            }));
        }
    }
    cells
}

fn answer(rules: &[Analysed<'_>], strategy: &StrategySpec, site: SiteKind, laws: &Laws<'_>) -> Answer {
    let mut refused = Vec::new();
    for operation in laws.schema.site_operations(site) {
        let mine = |analysed: &&Analysed<'_>| {
            analysed.rule.phase == Phase::Lower
                && analysed.rule.root().name == *operation
                && analysed.rule.strategy.as_ref().is_none_or(|named| *named == strategy.name)
        };
        let rules: Vec<&Analysed<'_>> = rules.iter().filter(mine).collect();
        let given = given(operation, strategy.action, laws);
        // A rule with more alternatives than are told apart is taken to answer every case.
        let demands: Option<Vec<&Vec<Conjunction>>> =
            rules.iter().map(|analysed| analysed.demands.as_ref()).collect();
        let alternatives = demands.map(|demands| demands.into_iter().flatten().cloned().collect::<Vec<_>>());
        if let Some(case) = alternatives.and_then(|all| gap(&given, &all, laws.facts)) {
            let case = case.difference(&given).map(ToString::to_string).collect();
            return Answer::Uncovered { operation: (*operation).to_owned(), case };
        }
        let applies = |demand: &Conjunction| !exclude(&given, demand, laws.facts);
        let refuses = |analysed: &&Analysed<'_>| {
            matches!(analysed.rule.outcome, Outcome::Reject { .. })
                && analysed.demands.iter().flatten().any(applies)
        };
        if rules.iter().any(refuses) {
            refused.push((*operation).to_owned());
        }
    }
    if refused.is_empty() { Answer::Lowered } else { Answer::Refused { operations: refused } }
}

/// What is known of such an operation: its name, and what its definition and planning promise.
fn given(operation: &str, action: Action, laws: &Laws<'_>) -> Conjunction {
    let facts = laws.schema.operation(operation).unwrap_or_default();
    let mut known = Conjunction::from([Literal::new(
        true,
        Atom::Operation { place: "root".into(), name: operation.into() },
    )]);
    let mut has = |name: &str| {
        known.insert(Literal::new(true, Atom::Has { place: format!("root!{name}") }));
    };
    for attribute in facts.attributes.iter().filter(|attribute| attribute.presence != Presence::Optional) {
        has(&attribute.name);
    }
    laws.schema.planned_fields(action).iter().for_each(|name| has(name));
    if facts.operands.iter().all(|(_, presence)| *presence == Presence::Required) {
        let (place, count) = ("root".to_owned(), facts.operands.len());
        known.insert(Literal::new(true, Atom::Operands { place, count }));
    }
    known
}

/// Findings for strategies that leave gaps, each gap once.
pub(super) fn findings(cells: &[Cell], laws: &Laws<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for cell in cells {
        let Answer::Uncovered { operation, case } = &cell.answer else { continue };
        let Some((source, span)) = laws.strategy_places.get(&cell.strategy) else { continue };
        let when = if case.is_empty() { String::new() } else { format!(" where {}", case.join(" and ")) };
        let message = format!("no rule of strategy `{}` answers `{operation}`{when}", cell.strategy);
        if findings.iter().any(|known| known.message == message) {
            continue;
        }
        findings.push(
            Finding::error("relo::check::uncovered", source, *span, message)
                .label(format!("it delivers a {}", cell.site))
                .help(format!(
                    "add a rule for `{operation}` to the strategy, or a `reject` that says what to do"
                )),
        );
    }
    findings
}
