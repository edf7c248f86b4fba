//! Rules that did not fire, and what stood in their way.

use relo_engine::normal::Rule;
use relo_engine::{Host, Location, Obstacle, why_not};

use crate::host::{MlirHost, Surroundings};
use crate::module::Module;
use crate::natives::made;

/// A rule that does not hold at an operation of its root's kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The rule.
    pub rule: String,
    /// The operation.
    pub operation: String,
    /// Where it came from.
    pub place: Location,
    /// What stands in the way; nothing where the rule holds as the module is now.
    pub obstacle: Option<Obstacle>,
}

/// Every rule at every operation that could be its root: operations as they stand in the module, the rules of each in
/// their own order.
pub fn missed(module: &Module<'_>, rules: &[Rule], surroundings: &Surroundings<'_>) -> Vec<Missed> {
    let mut host = MlirHost::new(module.context(), module.raw(), surroundings);
    let natives = made(surroundings.natives);
    let mut missed = Vec::new();
    for op in module.operations() {
        let operation = host.operation_name(op);
        for rule in rules.iter().filter(|rule| rule.root().name == operation) {
            missed.push(Missed {
                rule: rule.path.clone(),
                operation: operation.clone(),
                place: host.location(op),
                obstacle: why_not(rule, op, &mut host, &natives),
            });
        }
    }
    missed
}
