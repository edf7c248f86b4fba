//! Two patterns as one: operations with the operands that lead from the root to the others.

use relo_engine::Presence;
use relo_engine::normal::{OperandPattern, OperandsPattern, RestPattern, Rule};

use super::scene::{Operation, Scene, Value};
use crate::schema::OdsSchema;

/// Where in a scene the parts of a rule are.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The operations, by the rule's index.
    pub(super) operations: Vec<usize>,
    /// The values, by binding.
    pub(super) values: Vec<Option<usize>>,
}

/// The operations that both rules match from one root; `None` where there are none.
pub(super) fn merge(first: &Rule, second: &Rule) -> Option<(Scene, [Places; 2])> {
    let mut merger = Merger::default();
    let root = merger.operation(&first.root().name)?;
    let one = merger.rule(first, root)?;
    let other = merger.rule(second, root)?;
    merger.scene(root, [one, other])
}

#[derive(Default)]
struct Merger {
    operations: Vec<Draft>,
    /// What each value stands for: another value that it is the same as, or itself.
    same: Vec<usize>,
    /// Which result of which operation a value is.
    results: Vec<Option<(usize, usize)>>,
}

struct Draft {
    name: String,
    operands: Vec<usize>,
    results: Vec<usize>,
    /// Whether there are no more operands than these.
    most: Option<usize>,
    /// The operation that this one turned out to be.
    same: Option<usize>,
}

/// A rule's operations and values, in the merger's numbers.
struct Found {
    operations: Vec<usize>,
    values: Vec<Option<usize>>,
}

impl Merger {
    fn value(&mut self, result: Option<(usize, usize)>) -> usize {
        self.same.push(self.same.len());
        self.results.push(result);
        self.same.len() - 1
    }

    fn find(&self, mut value: usize) -> usize {
        while self.same[value] != value {
            value = self.same[value];
        }
        value
    }

    fn at(&self, mut operation: usize) -> usize {
        while let Some(same) = self.operations[operation].same {
            operation = same;
        }
        operation
    }

    fn operation(&mut self, name: &str) -> Option<usize> {
        let facts = OdsSchema.facts(name).filter(|facts| !facts.successors)?;
        let (operands, results) = (Vec::new(), Vec::new());
        self.operations.push(Draft { name: name.to_owned(), operands, results, most: None, same: None });
        let index = self.operations.len() - 1;
        let required = facts.results.iter().filter(|(_, presence)| *presence == Presence::Required).count();
        self.result(index, required);
        let required = facts.operands.iter().filter(|(_, presence)| *presence == Presence::Required).count();
        self.operand(index, required);
        Some(index)
    }

    /// Makes sure that the operation has so many results.
    fn result(&mut self, operation: usize, count: usize) {
        while self.operations[operation].results.len() < count {
            let value = self.value(Some((operation, self.operations[operation].results.len())));
            self.operations[operation].results.push(value);
        }
    }

    /// Makes sure that the operation has so many operands.
    fn operand(&mut self, operation: usize, count: usize) {
        while self.operations[operation].operands.len() < count {
            let value = self.value(None);
            self.operations[operation].operands.push(value);
        }
    }

    fn rule(&mut self, rule: &Rule, root: usize) -> Option<Found> {
        let mut found = Found {
            operations: vec![usize::MAX; rule.operations.len()],
            values: vec![None; rule.bindings.len()],
        };
        *found.operations.last_mut()? = root;
        // Users stand behind what they use, so that each operation is reached before its own operands are.
        for (index, pattern) in rule.operations.iter().enumerate().rev() {
            let operation =
                self.at(*found.operations.get(index).filter(|operation| **operation != usize::MAX)?);
            self.result(operation, pattern.results.len().max(pattern.types.len()));
            for (position, binding) in pattern.results.iter().enumerate() {
                if let Some(binding) = binding {
                    let value = self.operations[operation].results[position];
                    self.bind(&mut found.values[binding.0], value)?;
                }
            }
            let OperandsPattern::List { fixed, rest } = &pattern.operands else { continue };
            self.operand(operation, fixed.len());
            if *rest == RestPattern::None {
                self.operations[operation].most = Some(fixed.len());
            }
            for (position, operand) in fixed.iter().enumerate() {
                let value = self.operations[operation].operands[position];
                match operand {
                    OperandPattern::Any => {}
                    OperandPattern::Bind(binding) => self.bind(&mut found.values[binding.0], value)?,
                    OperandPattern::ResultOf { operation: defining, result } => {
                        let known = &mut found.operations[*defining];
                        if *known == usize::MAX {
                            *known = self.operation(&rule.operations[*defining].name)?;
                        }
                        let defining = self.at(*known);
                        self.result(defining, result + 1);
                        let result = self.operations[defining].results[*result];
                        self.unify(result, value)?;
                    }
                }
            }
        }
        Some(found)
    }

    fn bind(&mut self, known: &mut Option<usize>, value: usize) -> Option<()> {
        match known {
            Some(known) => self.unify(*known, value),
            None => {
                *known = Some(value);
                Some(())
            }
        }
    }

    /// Makes two values one; `None` where they can't be.
    fn unify(&mut self, one: usize, other: usize) -> Option<()> {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return Some(());
        }
        match (self.results[one], self.results[other]) {
            (_, None) => self.same[other] = one,
            (None, _) => self.same[one] = other,
            (Some((first, result)), Some((second, also))) => {
                let (first, second) = (self.at(first), self.at(second));
                if result != also
                    || first == second
                    || self.operations[first].name != self.operations[second].name
                {
                    return None;
                }
                self.same[other] = one;
                self.operations[second].same = Some(first);
                let most = [first, second].into_iter().filter_map(|index| self.operations[index].most).min();
                self.operations[first].most = most;
                let (operands, results) =
                    (self.operations[second].operands.clone(), self.operations[second].results.clone());
                self.operand(first, operands.len());
                self.result(first, results.len());
                for (position, value) in operands.into_iter().enumerate() {
                    self.unify(self.operations[first].operands[position], value)?;
                }
                for (position, value) in results.into_iter().enumerate() {
                    self.unify(self.operations[first].results[position], value)?;
                }
            }
        }
        Some(())
    }

    fn scene(&self, root: usize, rules: [Found; 2]) -> Option<(Scene, [Places; 2])> {
        let mut order = Vec::new();
        self.order(self.at(root), &mut order, &mut Vec::new())?;
        let mut scene = Scene::default();
        let mut values = vec![None; self.same.len()];
        let mut number = |value: usize, scene: &mut Scene| {
            *values[self.find(value)].get_or_insert_with(|| {
                scene.values.push(Value::default());
                scene.values.len() - 1
            })
        };
        for index in &order {
            let draft = &self.operations[*index];
            if draft.most.is_some_and(|most| draft.operands.len() > most) {
                return None;
            }
            let operation = Operation {
                name: draft.name.clone(),
                operands: draft.operands.iter().map(|value| number(*value, &mut scene)).collect(),
                results: draft.results.iter().map(|value| number(*value, &mut scene)).collect(),
                ..Operation::default()
            };
            for value in &operation.results {
                scene.values[*value].is_result = true;
            }
            scene.operations.push(operation);
        }
        let places = rules.map(|rule| Places {
            operations: rule
                .operations
                .iter()
                .map(|index| order.iter().position(|one| *one == self.at(*index)).unwrap_or_default())
                .collect(),
            values: rule.values.iter().map(|value| Some(number((*value)?, &mut scene))).collect(),
        });
        Some((scene, places))
    }

    /// Definitions before uses; `None` where an operation would use itself.
    fn order(&self, operation: usize, order: &mut Vec<usize>, above: &mut Vec<usize>) -> Option<()> {
        if order.contains(&operation) {
            return Some(());
        }
        if above.contains(&operation) {
            return None;
        }
        above.push(operation);
        for operand in &self.operations[operation].operands {
            if let Some((definition, _)) = self.results[self.find(*operand)] {
                self.order(self.at(definition), order, above)?;
            }
        }
        above.pop();
        order.push(operation);
        Some(())
    }
}
