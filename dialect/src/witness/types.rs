//! Types for the values of a scene, so that MLIR takes it.

use super::scene::{Origin, Scene};
use crate::context::Context;
use crate::module::Module;
use crate::schema::OdsSchema;

/// So many ways to give types are tried.
const MOST_TRIES: usize = 256;

/// Gives each value a type with which the scene verifies; `None` where none of those that are tried does.
pub(super) fn settle(mut scene: Scene, context: &Context, word: &str) -> Option<Scene> {
    let choices: Vec<Vec<String>> =
        (0..scene.values.len()).map(|value| choices(&scene, value, word)).collect();
    let mut at = vec![0; choices.len()];
    for _ in 0..MOST_TRIES {
        for (value, choice) in at.iter().enumerate() {
            scene.values[value].ty.clone_from(&choices[value][*choice]);
        }
        if scene.text(context, word).is_some_and(|text| verifies(context, &text)) {
            return Some(scene);
        }
        // The next way: the last value changes fastest.
        let next = (0..at.len()).rev().find(|value| at[*value] + 1 < choices[*value].len())?;
        at[next] += 1;
        at[next + 1..].fill(0);
    }
    None
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
