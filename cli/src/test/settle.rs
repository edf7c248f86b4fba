//! What becomes of results that nobody has accepted.

use relo_trial::{Outcome, Snapshots, Update, Verdict, difference};

use super::Arguments;
use crate::error::{CliError, Failure};
use crate::report::Reporter;

/// Accepts, asks or leaves for later. Tells whether nothing is left to be done.
pub fn settle(
    arguments: &Arguments,
    reporter: &Reporter,
    snapshots: &Snapshots,
    outcomes: &[Outcome],
) -> Result<bool, Failure> {
    let update = if arguments.accept { Update::Accept } else { Update::Pending };
    for outcome in outcomes {
        if let Some(path) = snapshots.update(outcome, update)? {
            let done = if arguments.accept { "accepted" } else { "waits for --review or --accept" };
            reporter.note(format_args!("{}: {done}", path.display()));
        }
    }
    let pending = |outcome: &&Outcome| matches!(outcome.verdict, Verdict::New | Verdict::Wrong { .. });
    let mut open = outcomes.iter().filter(|outcome| !outcome.verdict.is_fine() && !pending(outcome)).count();
    if arguments.review {
        open += review(reporter, snapshots)?;
    } else if !arguments.accept {
        open += outcomes.iter().filter(pending).count();
    }
    Ok(open == 0)
}

/// Asks about each result that waits; tells how many still do.
fn review(reporter: &Reporter, snapshots: &Snapshots) -> Result<usize, Failure> {
    let mut left = 0;
    for pending in snapshots.pending()? {
        reporter.line(format_args!("{}", pending.new.display()));
        reporter.line(difference(pending.accepted.as_deref().unwrap_or_default(), &pending.text));
        reporter.line("[a]ccept, [r]eject, or anything else to skip?");
        let mut answer = String::new();
        std::io::stdin()
            .read_line(&mut answer)
            .map_err(|error| CliError::Read { path: "standard input".into(), reason: error.to_string() })?;
        match answer.trim() {
            "a" | "accept" => {
                pending.accept()?;
            }
            "r" | "reject" => {
                pending.reject()?;
                left += 1;
            }
            _ => left += 1,
        }
    }
    Ok(left)
}
