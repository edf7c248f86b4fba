//! What came of a test, told apart.

use std::fmt;
use std::time::Duration;

use relo_dialect::{Missed, Rejection};
use relo_grammar::tree::Expectation;

use crate::gather::Test;
use crate::observe::{Observed, Refusal, base};

/// What came of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fired, rejected or left alone what it should, and the result is the accepted one.
    Right,
    /// The result is not the accepted one.
    Wrong {
        /// What was accepted.
        accepted: String,
    },
    /// The rule did not fire, or did not reject.
    DidNotFire,
    /// The rule fired on a near miss.
    FiredWhereItMustNot,
    /// Nothing was accepted yet.
    New,
    /// Known not to work yet.
    Todo,
    /// Said not to work yet, but it does.
    TodoWorks,
    /// The input can't be read, the rules have mistakes, or the message is another one.
    Broken {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// Whether nothing has to be done.
    pub fn is_fine(&self) -> bool {
        matches!(self, Self::Right | Self::Todo)
    }

    /// The name that reports use.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong { .. } => "wrong",
            Self::DidNotFire => "did not fire",
            Self::FiredWhereItMustNot => "fired where it must not",
            Self::New => "new",
            Self::Todo => "todo",
            Self::TodoWorks => "todo works",
            Self::Broken { .. } => "broken",
        }
    }
}

/// A test with what came of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The test.
    pub test: Test,
    /// What came of it.
    pub verdict: Verdict,
    /// What its module became.
    pub observed: Observed,
    /// That, as a snapshot holds it.
    pub text: String,
    /// How long it took.
    pub time: Duration,
}

/// Judges what was observed.
pub(crate) fn judge(test: &Test, observed: &Observed, text: &str, accepted: Option<&str>) -> Verdict {
    let compared = || match accepted {
        None => Verdict::New,
        Some(accepted) if same(accepted, text) => Verdict::Right,
        Some(accepted) => Verdict::Wrong { accepted: accepted.to_owned() },
    };
    let Some(rule) = &test.rule else { return compared() };
    let acted = observed.acted(rule);
    let failed = match &observed.refusal {
        Some(Refusal::Failed(reason)) => Some(reason.clone()),
        _ => None,
    };
    let rejections: Vec<&Rejection> = match &observed.refusal {
        Some(Refusal::Rejected(all)) => all.iter().collect(),
        _ => Vec::new(),
    };
    match &test.expectation {
        Expectation::Unchanged if acted => Verdict::FiredWhereItMustNot,
        Expectation::Todo if acted && failed.is_none() => Verdict::TodoWorks,
        Expectation::Todo => Verdict::Todo,
        _ if failed.is_some() => Verdict::Broken { reason: failed.unwrap_or_default() },
        Expectation::Unchanged => match no_near_miss(observed) {
            Some(reason) => Verdict::Broken { reason },
            None => compared(),
        },
        Expectation::Snapshot if !acted => match rejections.first() {
            Some(other) => {
                Verdict::Broken { reason: format!("{} rejects it: {}", other.rule, other.message) }
            }
            None => Verdict::DidNotFire,
        },
        Expectation::Snapshot => match rejections.first() {
            Some(one) => Verdict::Broken { reason: format!("{} rejects it: {}", one.rule, one.message) },
            None => compared(),
        },
        Expectation::Rejects(wanted) => {
            let own: Vec<&&Rejection> = rejections.iter().filter(|one| base(&one.rule) == rule).collect();
            match (own.first(), wanted) {
                (None, _) => Verdict::DidNotFire,
                (Some(one), Some(wanted)) if !own.iter().any(|one| one.message.contains(&wanted.item)) => {
                    Verdict::Broken { reason: format!("it rejects with: {}", one.message) }
                }
                _ => compared(),
            }
        }
    }
}

/// Why a test that the rule leaves alone says nothing of the rule: nothing stands in its way.
fn no_near_miss(observed: &Observed) -> Option<String> {
    match &observed.nearest {
        None => Some("this is no near miss: it has no operation that the rule is about".into()),
        Some(Missed { obstacle: Some(_), .. }) => None,
        Some(missed) => {
            Some(format!("this is no near miss: in the end the rule holds on {}", missed.operation))
        }
    }
}

/// Whether two snapshots are the same to insta.
pub(crate) fn same(left: &str, right: &str) -> bool {
    use insta::TextSnapshotKind::File;
    use insta::internals::TextSnapshotContents;
    let contents = |text: &str| TextSnapshotContents::new(text.to_owned(), File);
    contents(left).matches_latest(&contents(right))
}

/// How many tests came out how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// All.
    pub tests: usize,
    /// [`Verdict::Right`].
    pub right: usize,
    /// [`Verdict::Wrong`].
    pub wrong: usize,
    /// [`Verdict::DidNotFire`].
    pub did_not_fire: usize,
    /// [`Verdict::FiredWhereItMustNot`].
    pub fired_where_it_must_not: usize,
    /// [`Verdict::New`].
    pub new: usize,
    /// [`Verdict::Todo`].
    pub todo: usize,
    /// [`Verdict::TodoWorks`].
    pub todo_works: usize,
    /// [`Verdict::Broken`].
    pub broken: usize,
}

impl Tally {
    /// Counts outcomes.
    pub fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Self {
        let mut tally = Self::default();
        for outcome in outcomes {
            tally.tests += 1;
            *match outcome.verdict {
                Verdict::Right => &mut tally.right,
                Verdict::Wrong { .. } => &mut tally.wrong,
                Verdict::DidNotFire => &mut tally.did_not_fire,
                Verdict::FiredWhereItMustNot => &mut tally.fired_where_it_must_not,
                Verdict::New => &mut tally.new,
                Verdict::Todo => &mut tally.todo,
                Verdict::TodoWorks => &mut tally.todo_works,
                Verdict::Broken { .. } => &mut tally.broken,
            } += 1;
        }
        tally
    }

    /// Whether there were tests, and nothing has to be done about any.
    pub fn is_fine(&self) -> bool {
        self.tests > 0 && self.right + self.todo == self.tests
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.tests == 1 { "" } else { "s" };
        write!(f, "{} test{plural}: {} right", self.tests, self.right)?;
        for (count, name) in [
            (self.wrong, "wrong"),
            (self.did_not_fire, "did not fire"),
            (self.fired_where_it_must_not, "fired where it must not"),
            (self.new, "new"),
            (self.todo, "todo"),
            (self.todo_works, "todo that works"),
            (self.broken, "broken"),
        ] {
            if count > 0 {
                write!(f, ", {count} {name}")?;
            }
        }
        Ok(())
    }
}
