//! What came of the rules at a place that somebody asks about.

use std::collections::HashMap;

use relo_engine::interpret::Event;
use relo_engine::normal::{Phase, Rule};
use relo_engine::{Host, Location, Obstacle, Op, why_not};

use super::names::{name_of, print};
use crate::handle::operation;
use crate::host::MlirHost;
use crate::natives::made;

/// A place: of a symbol, of a value in it, or of a line in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct At {
    symbol: Option<String>,
    value: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

impl At {
    /// Reads `@SYMBOL`, `@SYMBOL:%VALUE`, `LINE`, `LINE:COLUMN`, `FILE:LINE` or `FILE:LINE:COLUMN`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(symbol) = text.strip_prefix('@') {
            let (symbol, value) = match symbol.split_once(":%") {
                Some((symbol, value)) => (symbol, Some(value.to_owned())),
                None => (symbol, None),
            };
            return (!symbol.is_empty()).then(|| Self {
                symbol: Some(symbol.to_owned()),
                value,
                ..Self::default()
            });
        }
        let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
        let (rest, last) = text.rsplit_once(':').map_or((None, text), |(rest, last)| (Some(rest), last));
        let last = number(last)?;
        let Some(rest) = rest else { return Some(Self { line: Some(last), ..Self::default() }) };
        let (file, line) = match rest.rsplit_once(':') {
            Some((file, line)) if number(line).is_some() => (Some(file), number(line)),
            _ => (None, number(rest)),
        };
        Some(match line {
            Some(line) => Self {
                file: file.map(str::to_owned),
                line: Some(line),
                column: Some(last),
                ..Self::default()
            },
            None => Self { file: Some(rest.to_owned()), line: Some(last), ..Self::default() },
        })
    }

    /// Whether an operation is there.
    fn is(&self, op: Op, place: &Location) -> bool {
        let file = |wanted: &String| {
            place.file.as_ref().is_some_and(|file| {
                file == wanted || file.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('/'))
            })
        };
        self.symbol.as_ref().is_none_or(|wanted| place.symbol.as_ref() == Some(wanted))
            && self.value.as_ref().is_none_or(|wanted| name_of(operation(op)).as_ref() == Some(wanted))
            && self.file.as_ref().is_none_or(file)
            && self.line.is_none_or(|line| place.line == line)
            && self.column.is_none_or(|column| place.column == column)
    }
}

/// An operation at the place, in a phase.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The phase.
    pub phase: Phase,
    /// The operation's name.
    pub operation: String,
    /// Where it comes from.
    pub place: Location,
    /// Its first line.
    pub text: String,
    /// The rules for such operations, in the order in which they are tried.
    pub rules: Vec<(Rule, Fate)>,
}

/// What came of a rule there.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It fired.
    Fired,
    /// It rejected the operation.
    Rejected {
        /// Its message.
        message: String,
    },
    /// It does not hold; this is the first thing that stands in its way.
    Missed {
        /// What that is.
        obstacle: Box<Obstacle>,
    },
    /// It was not tried.
    NotTried,
}

/// Gathers what came of the rules at a place.
pub(super) struct Inquiry {
    at: At,
    pub(super) asked: Vec<Asked>,
    /// The operations that are alive, in this phase.
    open: HashMap<Op, usize>,
}

impl Inquiry {
    pub(super) fn new(at: At) -> Self {
        Self { at, asked: Vec::new(), open: HashMap::new() }
    }

    /// A phase begins with these operations.
    pub(super) fn begin(&mut self, ops: &[Op], phase: Phase, rules: &[Rule], host: &MlirHost<'_>) {
        self.open.clear();
        for op in ops {
            self.meet(*op, phase, rules, host);
        }
    }

    /// An operation goes away.
    pub(super) fn erased(&mut self, op: Op) {
        self.open.remove(&op);
    }

    /// A rule was tried.
    pub(super) fn event(&mut self, event: &Event, phase: Phase, rules: &[Rule], host: &mut MlirHost<'_>) {
        let (Event::Fired { rule, root }
        | Event::Rejected { rule, root, .. }
        | Event::Missed { rule, root, .. }) = event;
        let Some(index) = self.meet(*root, phase, rules, host) else { return };
        let rule = &rules[*rule];
        let fate = match event {
            Event::Fired { .. } => Fate::Fired,
            Event::Rejected { message, .. } => Fate::Rejected { message: message.clone() },
            Event::Missed { .. } => match why_not(rule, *root, host, &made(host.surroundings.natives)) {
                Some(obstacle) => Fate::Missed { obstacle: Box::new(obstacle) },
                None => return,
            },
        };
        if let Some((_, known)) = self.asked[index].rules.iter_mut().find(|(one, _)| one.path == rule.path) {
            *known = fate;
        }
    }

    /// The operation's entry, if it is there.
    fn meet(&mut self, op: Op, phase: Phase, rules: &[Rule], host: &MlirHost<'_>) -> Option<usize> {
        if let Some(index) = self.open.get(&op) {
            return Some(*index);
        }
        let place = host.location(op);
        if !self.at.is(op, &place) {
            return None;
        }
        let name = host.operation_name(op);
        let own = rules.iter().filter(|rule| rule.root().name == name);
        let rules = own.map(|rule| (rule.clone(), Fate::NotTried)).collect();
        let text = print(operation(op)).lines().next().unwrap_or_default().trim().to_owned();
        self.asked.push(Asked { phase, operation: name, place, text, rules });
        self.open.insert(op, self.asked.len() - 1);
        Some(self.asked.len() - 1)
    }
}
