//! The operations of a match: from the root along its operands to what defines them.

use crate::evaluate::Failure;
use crate::host::{Host, Op};
use crate::normal::{OperandPattern, OperandsPattern, Rule};

/// The operations that a rule's patterns stand for where `root` is the root, in the order of the patterns. Each has the
/// name that its pattern says and defines the operand that leads to it; [`crate::evaluate`] decides the rest.
///
/// # Errors
/// The first operation that is not where the pattern has it.
pub fn shape<H: Host>(rule: &Rule, root: Op, host: &H) -> Result<Vec<Op>, Failure> {
    let last = rule.operations.len() - 1;
    let mut found: Vec<Option<Op>> = vec![None; rule.operations.len()];
    if host.operation_name(root) != rule.operations[last].name {
        return Err(Failure::Operation { found: 0, operation: last, through: None });
    }
    found[last] = Some(root);
    let mut count = 1;
    // Users stand behind what they use, so that each pattern is reached before its own operands are followed.
    for user in (0..=last).rev() {
        let OperandsPattern::List { fixed, .. } = &rule.operations[user].operands else { continue };
        let Some(op) = found[user] else { continue };
        let operands = host.operands(op);
        for (index, operand) in fixed.iter().enumerate() {
            let OperandPattern::ResultOf { operation, result } = operand else { continue };
            let defined = operands.get(index).and_then(|value| {
                let definition = host.definition(*value)?;
                (host.operation_name(definition) == rule.operations[*operation].name
                    && host.results(definition).get(*result) == Some(value))
                .then_some(definition)
            });
            // An operation that two operands lead to is one.
            match (defined, found[*operation]) {
                (Some(definition), None) => {
                    found[*operation] = Some(definition);
                    count += 1;
                }
                (Some(definition), Some(before)) if definition == before => {}
                _ => {
                    let through = Some((user, index));
                    return Err(Failure::Operation { found: count, operation: *operation, through });
                }
            }
        }
    }
    found.into_iter().collect::<Option<_>>().ok_or(Failure::Operation {
        found: count,
        operation: last,
        through: None,
    })
}
