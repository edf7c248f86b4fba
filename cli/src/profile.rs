//! `relo compile --profile`: what the rules and natives of each phase are tried and called for, and how long that takes.

use std::collections::BTreeMap;
use std::time::Duration;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use relo_codegen::Step;
use relo_dialect::Outcome;
use relo_engine::normal::Phase;

use crate::report::Reporter;

/// What a rule was tried for.
#[derive(Clone, Copy, Default)]
struct Rule {
    attempts: usize,
    matches: usize,
    time: Duration,
}

/// What a native was called for.
#[derive(Clone, Copy, Default)]
struct Native {
    calls: usize,
    time: Duration,
}

/// A phase, all runs of it together: what is left out of an input makes it run again.
#[derive(Default)]
struct Spent {
    time: Duration,
    rules: BTreeMap<String, Rule>,
    natives: BTreeMap<&'static str, Native>,
}

/// What all phases took.
#[derive(Default)]
pub struct Profile {
    phases: BTreeMap<Phase, Spent>,
}

impl Profile {
    /// Takes a phase in.
    pub fn add(&mut self, step: &Step<'_, '_>) {
        let Outcome { tried, fired, calls, .. } = step.outcome;
        let spent = self.phases.entry(step.phase).or_default();
        spent.time += step.time;
        for (path, tried) in tried {
            let rule = spent.rules.entry(path.clone()).or_default();
            rule.attempts += tried.held + tried.failed.values().sum::<usize>();
            rule.time += tried.deciding + tried.rewriting;
        }
        for (path, (_, count)) in fired {
            spent.rules.entry(path.clone()).or_default().matches += count;
        }
        for (name, calls) in calls {
            let native = spent.natives.entry(name).or_default();
            native.calls += calls.count;
            native.time += calls.time;
        }
    }

    /// Prints it, what took longest first; as JSON an object a phase.
    pub fn tell(&self, reporter: &Reporter) {
        for (phase, spent) in &self.phases {
            let mut rules: Vec<(&String, &Rule)> = spent.rules.iter().collect();
            rules.sort_by_key(|(_, rule)| std::cmp::Reverse(rule.time));
            let mut natives: Vec<(&&str, &Native)> = spent.natives.iter().collect();
            natives.sort_by_key(|(_, native)| std::cmp::Reverse(native.time));
            if reporter.is_json() {
                let rules: Vec<_> = rules
                    .iter()
                    .map(|(path, rule)| {
                        serde_json::json!({
                            "rule": path, "attempts": rule.attempts, "matches": rule.matches,
                            "microseconds": micros(rule.time),
                        })
                    })
                    .collect();
                let natives: Vec<_> = natives
                    .iter()
                    .map(|(name, native)| {
                        serde_json::json!({
                            "native": name, "calls": native.calls, "microseconds": micros(native.time),
                        })
                    })
                    .collect();
                reporter.line(serde_json::json!({
                    "phase": phase.name(), "microseconds": micros(spent.time), "rules": rules, "natives": natives,
                }));
                continue;
            }
            reporter.line(format_args!("{phase}: {:.3} ms", millis(spent.time)));
            if !rules.is_empty() {
                let mut table = table(["  RULE", "ATTEMPTS", "MATCHES", "MS"]);
                for (path, rule) in rules {
                    let counts = [rule.attempts, rule.matches].map(|count| count.to_string());
                    let [attempts, matches] = counts;
                    table.add_row([
                        format!("  {path}"),
                        attempts,
                        matches,
                        format!("{:.3}", millis(rule.time)),
                    ]);
                }
                reporter.line(aligned(table));
            }
            if !natives.is_empty() {
                let mut table = table(["  NATIVE", "CALLS", "MS"]);
                for (name, native) in natives {
                    let time = format!("{:.3}", millis(native.time));
                    table.add_row([format!("  {name}"), native.calls.to_string(), time]);
                }
                reporter.line(aligned(table));
            }
        }
    }
}

fn table<const N: usize>(head: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_header(head);
    table
}

/// Numbers to the right.
fn aligned(mut table: Table) -> Table {
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn micros(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e7).round() / 10.0
}
