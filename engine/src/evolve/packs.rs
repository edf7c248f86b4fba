//! What packs say of themselves: that they are there, their targets, their parameters.

use std::collections::{BTreeMap, BTreeSet};

use relo_grammar::tree::{Item, Param};

use super::{Change, Class};
use crate::library::Library;
use crate::pack::Pack;

/// The differences between packs that no set of rules shows.
pub fn compare_packs(old: &Library, new: &Library) -> Vec<Change> {
    let names: BTreeSet<&String> = old.packs().chain(new.packs()).map(|pack| &pack.name).collect();
    let mut changes = Vec::new();
    for name in names {
        let tell = |class, what: &str| Change::new(name, class, format!("pack {name}"), what);
        match (old.pack(name), new.pack(name)) {
            (None, Some(_)) => changes.push(tell(Class::Minor, "is new")),
            (Some(_), None) => changes.push(tell(Class::Major, "is gone")),
            (Some(before), Some(after)) => {
                if before.active != after.active {
                    changes.push(tell(Class::Major, "takes part at other times: `active` is another"));
                }
                match (&before.values, &after.values) {
                    (Some(_), None) => {
                        changes.push(tell(Class::Minor, "leaves no global over: `values` is gone"))
                    }
                    (was, is) if was != is => {
                        changes.push(tell(Class::Major, "leaves other globals over: `values` is another"));
                    }
                    _ => {}
                }
                let (was, is): (BTreeSet<_>, BTreeSet<_>) =
                    (before.uses.iter().collect(), after.uses.iter().collect());
                if was != is {
                    changes.push(tell(Class::Repair, "uses other packs"));
                }
                targets(before, after, &mut changes);
                parameters(before, after, &mut changes);
            }
            (None, None) => {}
        }
    }
    changes
}

fn targets(before: &Pack, after: &Pack, changes: &mut Vec<Change>) {
    let mut tell = |class, name: &str, what| {
        changes.push(Change::new(&after.name, class, format!("target {name}"), what));
    };
    for name in before.targets.keys().filter(|name| !after.targets.contains_key(*name)) {
        tell(Class::Major, name, "is gone");
    }
    for name in after.targets.keys().filter(|name| !before.targets.contains_key(*name)) {
        tell(Class::Minor, name, "is new");
    }
}

fn parameters(before: &Pack, after: &Pack, changes: &mut Vec<Change>) {
    let (olds, news) = (all(before), all(after));
    let mut tell = |class, name: &str, what: &str| {
        changes.push(Change::new(&after.name, class, format!("parameter {}.{name}", after.name), what));
    };
    for name in olds.keys().filter(|name| !news.contains_key(*name)) {
        tell(Class::Major, name, "is gone");
    }
    for (name, param) in &news {
        match (olds.get(name), &param.default) {
            (None, None) => tell(Class::Major, name, "is new, and has to be set"),
            (None, Some(_)) => tell(Class::Minor, name, "is new"),
            (Some(old), _) if old.kind.item != param.kind.item => {
                let what = format!("is of kind {}, was {}", param.kind.item, old.kind.item);
                tell(Class::Major, name, &what);
            }
            (Some(old), None) if old.default.is_some() => tell(Class::Major, name, "has to be set"),
            (Some(old), Some(_)) if old.default.is_none() => tell(Class::Minor, name, "need not be set"),
            // Another value of a default is seen in the rules that use it.
            _ => {}
        }
    }
}

fn all(pack: &Pack) -> BTreeMap<&str, &Param> {
    let items = pack.files.iter().flat_map(|(_, file)| &file.items);
    let params = items.filter_map(|item| match item {
        Item::Param(param) => Some((param.name.item.as_str(), param)),
        _ => None,
    });
    params.collect()
}
