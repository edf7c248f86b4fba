//! What must hold of a manifest by itself. It is untrusted input: who reads it afterwards may index by it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use relo_referent::{Action, Referent};

use crate::error::quoted;
use crate::manifest::{LARGEST, Manifest, SiteRecord};

/// As many problems are told as can be read.
const TOLD: usize = 20;

/// Everything that is wrong with a manifest of this version, with the place as a path into the JSON.
pub(crate) fn problems(manifest: &Manifest) -> Vec<String> {
    let mut problems = Problems { told: Vec::new(), more: 0 };
    texts(manifest, &mut problems);
    arguments(manifest, &mut problems);
    referents(manifest, &mut problems);
    sites(manifest, &mut problems);
    order(manifest, &mut problems);
    places(manifest, &mut problems);
    if problems.more > 0 {
        problems.told.push(format!("and {} more", problems.more));
    }
    problems.told
}

struct Problems {
    told: Vec<String>,
    more: usize,
}

impl Problems {
    fn unless(&mut self, holds: bool, problem: impl FnOnce() -> String) {
        if holds {
            return;
        }
        if self.told.len() < TOLD {
            self.told.push(problem());
        } else {
            self.more += 1;
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains('\0')
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn texts(manifest: &Manifest, problems: &mut Problems) {
    let Manifest { target, artifact, .. } = manifest;
    for (path, text) in
        [("target.name", &target.name), ("target.triple", &target.triple), ("artifact.kind", &artifact.kind)]
    {
        problems.unless(is_name(text), || format!("{path} is {text:?}, which is no name"));
    }
    problems.unless(artifact.size <= LARGEST, || {
        format!("artifact.size is {}, and artifacts have at most {LARGEST} bytes", artifact.size)
    });
    problems.unless(is_hash(&artifact.blake3), || {
        format!("artifact.blake3 is {:?}, which is no BLAKE3 hash in hex", artifact.blake3)
    });
    let mut names = BTreeSet::new();
    for (index, entry) in manifest.entries.iter().enumerate() {
        problems.unless(is_name(entry), || format!("entries[{index}] is {entry:?}, which is no name"));
        problems.unless(names.insert(entry), || format!("entries[{index}] is {} again", quoted(entry)));
    }
    let packs = manifest.packs.iter().map(|pack| ("packs", &pack.name, &pack.digest));
    let rules = manifest.rules.iter().map(|rule| ("rules", &rule.rule, &rule.digest));
    for (path, name, digest) in packs.chain(rules) {
        problems.unless(is_name(name), || format!("{path} has {name:?}, which is no name"));
        problems.unless(is_hash(digest), || {
            format!("{path} gives {} {digest:?}, which is no BLAKE3 hash", quoted(name))
        });
    }
}

fn arguments(manifest: &Manifest, problems: &mut Problems) {
    for (index, argument) in manifest.arguments.iter().enumerate() {
        problems.unless(manifest.entries.contains(&argument.entry), || {
            format!("arguments[{index}].entry is {}, which is no entry", quoted(&argument.entry))
        });
        problems.unless(
            manifest.sites.iter().any(|site| site.action == Action::Table && site.symbol == argument.table),
            || format!("arguments[{index}].table is {}, which has no words", quoted(&argument.table)),
        );
        let before = index.checked_sub(1).map(|before| &manifest.arguments[before]);
        problems.unless(before.is_none_or(|before| before < argument), || {
            format!("arguments[{index}] is out of order: they are sorted, each once")
        });
    }
}

/// Manifests may have millions of these: each list is walked once, and what is told for a referent is told together.
fn referents(manifest: &Manifest, problems: &mut Problems) {
    let mut used = vec![false; manifest.referents.len()];
    for site in &manifest.sites {
        if let Some(used) = used.get_mut(site.referent) {
            *used = true;
        }
    }
    let mut before: Option<&Referent> = None;
    for (index, (referent, used)) in manifest.referents.iter().zip(used).enumerate() {
        if let Some(reason) = referent.malformed() {
            problems.unless(false, || format!("referents[{index}] {reason}"));
        }
        if let Some(before) = before.filter(|before| *before >= referent) {
            problems.unless(false, || {
                format!(
                    "referents[{index}] is {referent}, and stands after {before}: they are sorted, each once"
                )
            });
        }
        problems.unless(used, || format!("referents[{index}] has no site"));
        before = Some(referent);
    }
}

fn sites(manifest: &Manifest, problems: &mut Problems) {
    for (index, site) in manifest.sites.iter().enumerate() {
        let SiteRecord { symbol, offset, width, referent, action, strategy, .. } = site;
        problems.unless(is_name(symbol), || format!("sites[{index}].symbol is {symbol:?}, which is no name"));
        problems.unless(is_name(strategy), || {
            format!("sites[{index}].strategy is {strategy:?}, which is no name")
        });
        problems.unless(matches!(width, 32 | 64), || {
            format!("sites[{index}].width is {width}, and words have 32 or 64 bits")
        });
        problems.unless(site.end().is_some_and(|end| end <= LARGEST), || {
            format!("sites[{index}].offset is {offset}, and artifacts have at most {LARGEST} bytes")
        });
        problems.unless(*referent < manifest.referents.len(), || {
            format!(
                "sites[{index}].referent is {referent}, and there are {} referents",
                manifest.referents.len()
            )
        });
        problems.unless(site.index.is_some() == action.is_ordered(), || match site.index {
            Some(found) => {
                format!("sites[{index}].index is {found}, and `{}` sites have no order", action.name())
            }
            None => format!("sites[{index}] has no index, and `{}` sites have an order", action.name()),
        });
        if let Some(at) = site.at {
            problems.unless(at.checked_add(site.bytes()).is_some_and(|end| end <= LARGEST), || {
                format!("sites[{index}].at is {at}, and artifacts have at most {LARGEST} bytes")
            });
            // A word of a packed record lies where it lies: its offset says so.
            let packed = site.bytes() > 0 && offset % site.bytes() != 0;
            problems.unless(packed || site.bytes() == 0 || at % site.bytes() == 0, || {
                format!("sites[{index}].at is {at}, which is not aligned for {width} bits")
            });
        }
        if let Some(before) = index.checked_sub(1).map(|before| &manifest.sites[before]) {
            follows(index, before, site, problems);
        }
    }
}

/// What holds between a site and the one before it.
fn follows(index: usize, before: &SiteRecord, site: &SiteRecord, problems: &mut Problems) {
    let order = before.symbol.cmp(&site.symbol);
    let is_after = match order {
        Ordering::Less => true,
        Ordering::Equal => before.end().is_some_and(|end| end <= site.offset),
        Ordering::Greater => false,
    };
    problems.unless(is_after, || {
        format!(
            "sites[{index}] is at {} + {}, and stands after {} + {}: they are sorted, and don't overlap",
            quoted(&site.symbol),
            site.offset,
            quoted(&before.symbol),
            before.offset
        )
    });
    if let (Ordering::Equal, Some(first), Some(second)) = (order, before.at, site.at) {
        let start = |at: u64, site: &SiteRecord| i128::from(at) - i128::from(site.offset);
        problems.unless(start(first, before) == start(second, site), || {
            format!("sites[{index}].at does not fit the other sites of {}", quoted(&site.symbol))
        });
    }
}

/// An index is one referent's, for each action.
fn order(manifest: &Manifest, problems: &mut Problems) {
    let mut taken = BTreeMap::new();
    for (index, site) in manifest.sites.iter().enumerate() {
        let Some(place) = site.index else { continue };
        let first = taken.entry((site.action, place)).or_insert(site.referent);
        problems.unless(*first == site.referent, || {
            format!("sites[{index}].index is {place}, which is the index of referents[{first}] already")
        });
    }
}

/// Sites are at different places of the image.
fn places(manifest: &Manifest, problems: &mut Problems) {
    let placed =
        manifest.sites.iter().enumerate().filter_map(|(index, site)| Some((site.at?, site.bytes(), index)));
    let mut placed: Vec<(u64, u64, usize)> = placed.collect();
    placed.sort_unstable_by_key(|(at, _, index)| (*at, *index));
    for pair in placed.windows(2) {
        let [(before, bytes, other), (after, _, index)] = pair else { continue };
        problems.unless(before.saturating_add(*bytes) <= *after, || {
            format!("sites[{index}].at is {after}, where sites[{other}] lies")
        });
    }
}
