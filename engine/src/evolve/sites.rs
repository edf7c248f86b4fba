//! What becomes of sites: cells, strategies, and which of them is chosen.

use std::collections::{BTreeMap, BTreeSet};

use relo_referent::Referent;

use super::{Change, Class, pack_of};
use crate::analyse::{Answer, Cell, REFERENT_KINDS};
use crate::normal::Phase;
use crate::plan::{Choice, SiteKind};
use crate::ruleset::{RuleSet, StrategySpec};
use crate::schema::Schema;

pub(super) fn compare(old: &RuleSet, new: &RuleSet, schema: &dyn Schema) -> Vec<Change> {
    let mut changes = strategies(old, new);
    changes.extend(cells(old, new, schema));
    changes.extend(choices(old, new));
    changes.extend(target(old, new));
    changes
}

/// The pack whose rules a strategy has.
fn pack_of_strategy<'a>(name: &str, sets: [&'a RuleSet; 2]) -> &'a str {
    let rule = sets.iter().flat_map(|set| set.rules()).find(|rule| rule.strategy.as_deref() == Some(name));
    rule.map_or(&sets[0].target.pack, |rule| pack_of(&rule.path))
}

fn strategies(old: &RuleSet, new: &RuleSet) -> Vec<Change> {
    let names: BTreeSet<&str> =
        old.strategies.iter().chain(&new.strategies).map(|strategy| strategy.name.as_str()).collect();
    let mut changes = Vec::new();
    for name in names {
        let pack = pack_of_strategy(name, [old, new]);
        let mut tell = |class, what: String| {
            changes.push(Change::new(pack, class, format!("strategy {name}"), what));
        };
        let (before, after) = match (old.strategy(name), new.strategy(name)) {
            (Some(before), Some(after)) => (before, after),
            (None, _) => {
                tell(Class::Minor, "is new".into());
                continue;
            }
            (_, None) => {
                tell(Class::Major, "is gone".into());
                continue;
            }
        };
        if before.action != after.action {
            let (was, is) = (before.action.name(), after.action.name());
            tell(Class::Major, format!("asks loaders to {is}, no longer to {was}"));
        }
        for site in SiteKind::ALL {
            match (before.sites.contains(&site), after.sites.contains(&site)) {
                (true, false) => tell(Class::Major, format!("no longer delivers a {}", site.name())),
                (false, true) => tell(Class::Minor, format!("delivers a {}", site.name())),
                _ => {}
            }
        }
        match (before.portable, after.portable) {
            (true, false) => tell(Class::Major, "is no longer portable".into()),
            (false, true) => tell(Class::Minor, "is portable".into()),
            _ => {}
        }
    }
    changes
}

/// Cells of a strategy and a kind of site that have one answer, and had another.
struct Row<'a> {
    strategy: String,
    site: &'static str,
    referents: Vec<&'static str>,
    before: Option<&'a Answer>,
    after: Option<&'a Answer>,
}

/// Cells with another answer: those of a strategy, a kind of site and an answer are one change.
fn cells(old: &RuleSet, new: &RuleSet, schema: &dyn Schema) -> Vec<Change> {
    let by_place = |cells: &[Cell]| -> BTreeMap<(String, &'static str, &'static str), Answer> {
        let cell = |cell: &Cell| ((cell.strategy.clone(), cell.site, cell.referent), cell.answer.clone());
        cells.iter().map(cell).collect()
    };
    let (olds, news) = (by_place(&old.cells), by_place(&new.cells));
    let places: BTreeSet<_> = olds.keys().chain(news.keys()).collect();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for place in places {
        let (before, after) = (olds.get(place), news.get(place));
        if before == after {
            continue;
        }
        let (strategy, site, referent) = (place.0.clone(), place.1, place.2);
        match rows.last_mut() {
            Some(row)
                if (&row.strategy, row.site, row.before, row.after) == (&strategy, site, before, after) =>
            {
                row.referents.push(referent);
            }
            _ => rows.push(Row { strategy, site, referents: vec![referent], before, after }),
        }
    }
    let text = |answer: Option<&Answer>| answer.map_or("no such strategy".to_owned(), ToString::to_string);
    let cell = |Row { strategy, site, referents, before, after }: Row<'_>| {
        let operations: Vec<&str> = SiteKind::ALL
            .into_iter()
            .filter(|kind| kind.name() == site)
            .flat_map(|kind| schema.site_operations(kind).iter().copied())
            .collect();
        Change {
            pack: pack_of_strategy(&strategy, [old, new]).to_owned(),
            class: class(before, after),
            subject: format!("cell {} × {site} × {strategy}", referents.join(", ")),
            what: format!("becomes `{}`, was `{}`", text(after), text(before)),
            because: because(&strategy, &operations, old, new),
            witness: witness(before, after),
        }
    };
    rows.into_iter().map(cell).collect()
}

/// The operations that are refused, and whether all others are answered.
fn refused(answer: Option<&Answer>) -> Option<BTreeSet<&str>> {
    match answer? {
        Answer::Lowered => Some(BTreeSet::new()),
        Answer::Refused { operations } => Some(operations.iter().map(String::as_str).collect()),
        Answer::NotDelivered | Answer::NoLoader | Answer::Uncovered { .. } => None,
    }
}

fn class(before: Option<&Answer>, after: Option<&Answer>) -> Class {
    match (refused(before), refused(after)) {
        (Some(before), Some(after)) if after.is_subset(&before) => Class::Minor,
        (Some(_), _) => Class::Major,
        (None, Some(_)) => Class::Minor,
        (None, None) => Class::Repair,
    }
}

fn witness(before: Option<&Answer>, after: Option<&Answer>) -> Option<String> {
    if let Some(Answer::Uncovered { operation, case }) = after {
        let when = if case.is_empty() { String::new() } else { format!(" where {}", case.join(" and ")) };
        return Some(format!("`{operation}`{when}"));
    }
    let (before, after) = (refused(before).unwrap_or_default(), refused(after).unwrap_or_default());
    let first = |verb: &str, operation: Option<&&str>| operation.map(|name| format!("`{name}` is {verb}"));
    first("refused", after.difference(&before).next())
        .or_else(|| first("no longer refused", before.difference(&after).next()))
}

/// The rules of a strategy about these operations that are not the same.
fn because(strategy: &str, operations: &[&str], old: &RuleSet, new: &RuleSet) -> BTreeSet<String> {
    let rules = |set: &RuleSet| -> BTreeSet<(String, String)> {
        let rules = set.phase(Phase::Lower).iter().filter(|rule| {
            rule.strategy.as_deref().is_none_or(|own| own == strategy)
                && operations.contains(&rule.root().name.as_str())
        });
        rules.map(|rule| (rule.path.clone(), rule.digest.clone())).collect()
    };
    let (olds, news) = (rules(old), rules(new));
    olds.symmetric_difference(&news).map(|(path, _)| path.clone()).collect()
}

/// Sites for which another strategy is chosen, and choices that are written otherwise.
fn choices(old: &RuleSet, new: &RuleSet) -> Vec<Change> {
    let text = |text: &str| text.to_owned();
    let examples = [
        Referent::Object { runtime: text("runtime"), key: text("key"), addend: 0 },
        Referent::Symbol { name: text("name"), library: None, addend: 0 },
        Referent::Word { symbol: text("symbol"), library: None, offset: 0 },
    ];
    let subject = format!("target {}", new.target.spec.name);
    // The kinds of referent that go another way, by what becomes of them.
    let mut ways: BTreeMap<(&str, Class, String), Vec<&str>> = BTreeMap::new();
    for site in SiteKind::ALL {
        for (kind, referent) in REFERENT_KINDS.into_iter().zip(&examples) {
            let (before, after) = (old.plan(referent, site), new.plan(referent, site));
            let name = |plan: &Result<&StrategySpec, _>| {
                plan.as_ref().map_or_else(|_| "none".to_owned(), |strategy| strategy.name.clone())
            };
            let (was, is) = (name(&before), name(&after));
            if was == is {
                continue;
            }
            let class = match (&before, &after) {
                (Ok(before), Ok(after))
                    if before.action == after.action && before.portable <= after.portable =>
                {
                    Class::Repair
                }
                (Err(_), Ok(_)) => Class::Minor,
                _ => Class::Major,
            };
            let way = format!("by {is}, no longer by {was}");
            ways.entry((site.name(), class, way)).or_default().push(kind);
        }
    }
    let change = |((site, class, way), kinds): ((&str, Class, String), Vec<&str>)| {
        Change::new(
            &new.target.pack,
            class,
            &subject,
            format!("delivers a {site} of {} {way}", kinds.join(", ")),
        )
    };
    let mut changes: Vec<Change> = ways.into_iter().map(change).collect();
    let lines = |from: &[Choice], without: &[Choice]| -> Vec<String> {
        from.iter().filter(|choice| !without.contains(choice)).map(|choice| choice.strategy.clone()).collect()
    };
    let (gone, come) = (lines(&old.choices, &new.choices), lines(&new.choices, &old.choices));
    if changes.is_empty() && old.choices != new.choices {
        let class = if gone.is_empty() && !come.is_empty() { Class::Minor } else { Class::Major };
        let what = match (gone.is_empty(), come.is_empty()) {
            (true, true) => "tries its strategies in another order".to_owned(),
            _ => format!("chooses otherwise: lines for {} came, for {} went", listed(&come), listed(&gone)),
        };
        changes.push(Change::new(&new.target.pack, class, &subject, what));
    }
    changes
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// What the target says of the machine and its artifacts.
fn target(old: &RuleSet, new: &RuleSet) -> Vec<Change> {
    let (before, after) = (&old.target.spec, &new.target.spec);
    let mut changes = Vec::new();
    let mut tell = |class, what: String| {
        changes.push(Change::new(&new.target.pack, class, format!("target {}", after.name), what));
    };
    let texts = [
        ("triple", &before.triple, &after.triple),
        ("cpu", &before.cpu, &after.cpu),
        ("features", &before.features, &after.features),
    ];
    for (key, was, is) in texts.into_iter().filter(|(_, was, is)| was != is) {
        tell(Class::Major, format!("`{key}` is {is}, was {was}"));
    }
    for kind in before.emit.iter().filter(|kind| !after.emit.contains(kind)) {
        tell(Class::Major, format!("no longer emits {kind}"));
    }
    for kind in after.emit.iter().filter(|kind| !before.emit.contains(kind)) {
        tell(Class::Minor, format!("emits {kind}"));
    }
    if let (Some(was), Some(is)) = (before.emit.first(), after.emit.first())
        && was != is
        && after.emit.contains(was)
    {
        tell(Class::Major, format!("emits {is} where nothing else is asked for, no longer {was}"));
    }
    if before.names != after.names {
        tell(Class::Minor, "allows other names".into());
    }
    if before.optimise != after.optimise {
        tell(Class::Repair, format!("optimises at {}, no longer at {}", after.optimise, before.optimise));
    }
    if before.link != after.link {
        tell(Class::Repair, "links with other arguments".into());
    }
    let keys: BTreeSet<&String> = before.properties.keys().chain(after.properties.keys()).collect();
    for key in keys.into_iter().filter(|key| before.properties.get(*key) != after.properties.get(*key)) {
        tell(Class::Repair, format!("`{key}` has another value for rules"));
    }
    changes
}
