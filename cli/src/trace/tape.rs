//! A module over time: every line that it ever had, with the steps at which it came and went.

use std::collections::{BTreeMap, BTreeSet};

use relo_dialect::{Cause, Change, Fired};
use similar::{Algorithm, ChangeTag, TextDiff};

/// A line of the module.
#[derive(Clone, Debug)]
pub struct Line {
    /// The line.
    pub text: String,
    /// The step that made it; 0 is the input.
    pub from: usize,
    /// The step that took it away.
    pub to: Option<usize>,
}

/// A part of the module: a symbol's definition, or what has no name.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The rewrite; none where strategies were chosen.
    pub fired: Option<Fired>,
    /// The parts that changed.
    parts: BTreeSet<usize>,
}

/// A line that a step took away or made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    /// Whether it was made.
    pub is_new: bool,
    /// The line.
    pub text: &'a str,
}

/// All of it.
#[derive(Default)]
pub struct Tape {
    parts: Vec<Part>,
    /// The parts in the module's order.
    order: Vec<usize>,
    by_name: BTreeMap<String, usize>,
    /// The steps; the first is number 1.
    pub steps: Vec<Step>,
}

impl Tape {
    /// Takes a step down.
    pub fn record(&mut self, cause: Cause<'_>, changes: &[Change<'_>]) {
        match cause {
            Cause::Rule(fired) => {
                self.steps.push(Step { fired: Some(fired.clone()), parts: BTreeSet::new() })
            }
            // What needs no strategy is no step.
            Cause::Plan if changes.is_empty() => return,
            Cause::Plan => self.steps.push(Step { fired: None, parts: BTreeSet::new() }),
            Cause::Input | Cause::Rest => {}
        }
        for change in changes {
            let part = self.part(change);
            self.rewrite(part, change.after.unwrap_or_default());
            if let Some(step) = self.steps.last_mut() {
                step.parts.insert(part);
            }
        }
    }

    /// The parts, in the module's order.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.order.iter().map(|index| &self.parts[*index])
    }

    /// What a step changed, by part: its name and the lines.
    pub fn edits(&self, step: usize) -> Vec<(&str, Vec<Edit<'_>>)> {
        let changed = self.order.iter().filter(|index| self.steps[step - 1].parts.contains(index));
        let edits = |part: &usize| {
            let part = &self.parts[*part];
            let lines = part.lines.iter().filter_map(|line| {
                let is_new = line.from == step;
                (is_new || line.to == Some(step)).then_some(Edit { is_new, text: line.text.as_str() })
            });
            (part.name.as_str(), lines.collect::<Vec<_>>())
        };
        changed.map(edits).filter(|(_, edits)| !edits.is_empty()).collect()
    }

    fn part(&mut self, change: &Change<'_>) -> usize {
        if let Some(part) = self.by_name.get(change.part) {
            return *part;
        }
        let part = self.parts.len();
        self.parts.push(Part { name: change.part.to_owned(), lines: Vec::new() });
        self.by_name.insert(change.part.to_owned(), part);
        let behind = change.behind.and_then(|name| self.by_name.get(name));
        // From the end: at the start each part comes behind all others.
        let place = self.order.iter().rposition(|index| Some(index) == behind).map_or(0, |index| index + 1);
        self.order.insert(place, part);
        part
    }

    /// Makes the lines of a part those of a text.
    fn rewrite(&mut self, part: usize, text: &str) {
        let step = self.steps.len();
        let lines = std::mem::take(&mut self.parts[part].lines);
        let old: String =
            lines.iter().filter(|line| line.to.is_none()).map(|line| line.text.clone() + "\n").collect();
        let new: String = text.lines().map(|line| line.to_owned() + "\n").collect();
        let mut all: Vec<Line> = Vec::with_capacity(lines.len());
        let mut lines = lines.into_iter();
        let mut next = |all: &mut Vec<Line>| {
            for line in lines.by_ref() {
                if line.to.is_none() {
                    return Some(line);
                }
                all.push(line);
            }
            None
        };
        let difference = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(&old, &new);
        for change in difference.iter_all_changes() {
            match change.tag() {
                ChangeTag::Equal => {
                    let line = next(&mut all);
                    all.extend(line);
                }
                ChangeTag::Delete => {
                    // What the same step made was never there.
                    let line = next(&mut all).filter(|line| line.from < step);
                    all.extend(line.map(|line| Line { to: Some(step), ..line }));
                }
                ChangeTag::Insert => {
                    let text = change.value().trim_end_matches('\n').to_owned();
                    all.push(Line { text, from: step, to: None });
                }
            }
        }
        all.extend(lines);
        self.parts[part].lines = all;
    }
}
