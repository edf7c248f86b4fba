//! Outcomes as JUnit's XML, which most build servers show.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::judge::{Outcome, Verdict};
use crate::snapshot::difference;

/// The outcomes: a suite a pack.
///
/// # Errors
/// With the writer's reason.
pub fn junit(outcomes: &[Outcome]) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("relo test");
    for pack in outcomes.chunk_by(|left, right| left.test.pack == right.test.pack) {
        let mut suite = TestSuite::new(pack[0].test.pack.as_str());
        suite.add_test_cases(pack.iter().map(case));
        report.add_test_suite(suite);
    }
    report.to_string()
}

fn case(outcome: &Outcome) -> TestCase {
    let status = match &outcome.verdict {
        Verdict::Right => TestCaseStatus::success(),
        Verdict::Todo => TestCaseStatus::skipped(),
        verdict => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(verdict.name());
            match verdict {
                Verdict::Wrong { accepted } => status.set_description(difference(accepted, &outcome.text)),
                Verdict::Broken { reason } => status.set_description(reason.as_str()),
                _ => status.set_description(outcome.text.as_str()),
            };
            status
        }
    };
    let mut case = TestCase::new(outcome.test.name.as_str(), status);
    case.set_classname(outcome.test.rule.as_deref().unwrap_or(&outcome.test.pack));
    case.set_time(outcome.time);
    case
}
