//! Types for the values of a scene, so that MLIR takes it.

use std::cell::RefCell;
use std::collections::HashMap;

use super::scene::{Operation, Origin, Scene, Value};
use crate::context::Context;
use crate::module::Module;
use crate::schema::OdsSchema;

/// MLIR is asked about so many operations, known ones among them, and about so many whole scenes: what fits piece by piece and
/// not together has mostly another fault than its types.
const MOST_ASKED: usize = 1024;
const MOST_WHOLE: usize = 16;

/// Operations by themselves, as modules, and whether MLIR takes them: most scenes are made of the same few.
#[derive(Default)]
pub(super) struct Taken(RefCell<HashMap<String, bool>>);

/// Gives each value a type with which the scene verifies; `None` where none of those that are tried does.
pub(super) fn settle(mut scene: Scene, context: &Context, word: &str, taken: &Taken) -> Option<Scene> {
    let choices: Vec<Vec<String>> =
        (0..scene.values.len()).map(|value| choices(&scene, value, word)).collect();
    let mut complete = vec![Vec::new(); scene.values.len()];
    for (index, operation) in scene.operations.iter().enumerate() {
        // What has all its types with this value can be asked about.
        if let Some(last) = operation.operands.iter().chain(&operation.results).max() {
            complete[*last].push(index);
        }
    }
    let mut typing = Typing { context, word, taken, choices, complete, asked: 0, whole: 0 };
    typing.from(0, &mut scene).then_some(scene)
}

struct Typing<'a> {
    context: &'a Context,
    word: &'a str,
    taken: &'a Taken,
    /// The types that each value may have.
    choices: Vec<Vec<String>>,
    /// The operations whose last value each is.
    complete: Vec<Vec<usize>>,
    asked: usize,
    whole: usize,
}

impl Typing<'_> {
    /// Gives types to the values from this one on.
    fn from(&mut self, value: usize, scene: &mut Scene) -> bool {
        let Some(choices) = self.choices.get(value).cloned() else {
            self.whole += 1;
            return scene.text(self.context, self.word).is_some_and(|text| verifies(self.context, &text));
        };
        for ty in choices {
            if self.asked >= MOST_ASKED || self.whole >= MOST_WHOLE {
                return false;
            }
            scene.values[value].ty = ty;
            self.asked += self.complete[value].len();
            if self.complete[value].iter().all(|index| self.takes(scene, *index))
                && self.from(value + 1, scene)
            {
                return true;
            }
        }
        false
    }

    /// Whether MLIR takes an operation by itself.
    fn takes(&self, scene: &Scene, index: usize) -> bool {
        let Some(text) = alone(scene, index).text(self.context, self.word) else { return false };
        if let Some(known) = self.taken.0.borrow().get(&text) {
            return *known;
        }
        let takes = verifies(self.context, &text);
        self.taken.0.borrow_mut().insert(text, takes);
        takes
    }
}

/// A scene of one operation, whose operands come from outside.
fn alone(scene: &Scene, index: usize) -> Scene {
    let operation = &scene.operations[index];
    let mut values = Vec::new();
    let mut numbered = |of: &[usize], is_result: bool| -> Vec<usize> {
        of.iter()
            .map(|value| {
                let (ty, origin) = (scene.values[*value].ty.clone(), Origin::Argument);
                values.push(Value { is_result, origin, ty });
                values.len() - 1
            })
            .collect()
    };
    let operands = numbered(&operation.operands, false);
    let results = numbered(&operation.results, true);
    let operation = Operation { operands, results, ..operation.clone() };
    Scene { operations: vec![operation], values, symbols: scene.symbols.clone(), ..Scene::default() }
}

fn verifies(context: &Context, text: &str) -> bool {
    Module::parse_as_is(context, text).is_some_and(|module| module.verify("").is_ok())
}

/// The types that a value may have, the likeliest first.
fn choices(scene: &Scene, value: usize, word: &str) -> Vec<String> {
    if matches!(scene.values[value].origin, Origin::Address { .. } | Origin::Indexed { .. }) {
        return vec!["!llvm.ptr".to_owned()];
    }
    let used_as = scene.operations.iter().find_map(|operation| {
        let at = operation.operands.iter().position(|operand| *operand == value)?;
        let (name, _) = OdsSchema.facts(&operation.name)?.operands.get(at)?;
        Some(name.as_str())
    });
    let made_by = scene.operations.iter().find(|operation| operation.results.contains(&value));
    let is_pointer = used_as.is_some_and(|name| matches!(name, "addr" | "ptr" | "base" | "dst" | "src"))
        || made_by.is_some_and(|operation| {
            matches!(
                operation.name.as_str(),
                "llvm.getelementptr"
                    | "llvm.mlir.addressof"
                    | "reloc.address"
                    | "llvm.inttoptr"
                    | "llvm.alloca"
            )
        });
    let first = if is_pointer { "!llvm.ptr" } else { word };
    let mut types: Vec<String> =
        [first, word, "!llvm.ptr", "i1", "i32", "f64"].into_iter().map(str::to_owned).collect();
    let mut seen = Vec::new();
    types.retain(|ty| {
        let is_new = !seen.contains(ty);
        seen.push(ty.clone());
        is_new
    });
    types
}
