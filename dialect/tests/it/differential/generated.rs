//! Generated pairs, for other tests.

use super::choices::Choices;
use super::{How, modules, ran, rules, rules_of};

/// A module, and a rule file that is likely to match in it.
pub fn pair(numbers: &[u16]) -> (String, String) {
    let mut choices = Choices::new(numbers);
    (modules::module(&mut choices), rules::file(&mut choices))
}

/// What the rules make of the module, or the diagnostic that ends them, spelled without places in the file; nothing where
/// the checker refuses them.
pub fn result(module: &str, file: &str) -> Option<String> {
    let rules = rules_of(file).ok()?;
    Some(match ran(module, &rules, How::Interpreted) {
        Ok((outcome, text, _)) => format!("{:?}\n{:?}\n{text}", outcome.trace, outcome.touched),
        Err(message) => message.lines().filter(|line| !is_excerpt(line)).collect(),
    })
}

/// Whether a line of a diagnostic shows the rule's file, which is another text in another order.
fn is_excerpt(line: &str) -> bool {
    let numbered = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    numbered || line.contains(['╭', '·', '╰'])
}
