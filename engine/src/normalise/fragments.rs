//! Fragments, expanded where they are used: to match, and to build.

use relo_grammar::tree::{Call, Capture, ExprKind, Fragment};

use super::Normaliser;
use super::captures::{Bound, Frame, spelled};
use crate::datum::Kind;
use crate::finding::{counted, suggestion};
use crate::normal::{Condition, Term};

/// Fragments that are expanded in each other this deep don't end.
const DEEPEST: usize = 16;

impl Normaliser<'_> {
    /// Expands a fragment in place: its parameters are its user's captures, the rest is its own.
    pub(super) fn fragment(&mut self, call: &Call) {
        let Some((source, fragment)) = self.context.scope.fragment(self.item.pack, &call.name.item) else {
            if !self.is_unread(&call.name.item) {
                let names = self.context.scope.fragment_names(self.item.pack);
                let help = suggestion(&call.name.item, names.iter().map(String::as_str));
                let message = format!("there is no fragment `{}`", call.name.item);
                self.error("relo::check::unknown_fragment", call.name.span, message).help = Some(help);
            }
            self.bind_arguments(call);
            return;
        };
        let Some(matches) = &fragment.matches else {
            let message = format!("fragment `{}` has no `match`: it only builds", call.name.item);
            self.error("relo::check::fragment_use", call.name.span, message).help =
                Some("use it in a `rewrite`, or give it a `match`".to_owned());
            self.bind_arguments(call);
            return;
        };
        if fragment.parameters.len() != call.arguments.len() {
            let wanted = fragment.parameters.len();
            let message = format!(
                "fragment `{}` takes {}, not {}",
                call.name.item,
                counted(wanted, "argument"),
                call.arguments.len()
            );
            let place = call.arguments.get(wanted).map_or(call.name.span, |extra| extra.span);
            let parameters: Vec<String> = fragment.parameters.iter().map(spelled).collect();
            self.error("relo::check::arguments", place, message).help =
                Some(format!("its parameters are: {}", parameters.join(", ")));
            self.bind_arguments(call);
            return;
        }
        if self.uses_itself(call) {
            return;
        }
        let mut frame = Frame { source: Some(source), ..Frame::default() };
        for (parameter, argument) in fragment.parameters.iter().zip(&call.arguments) {
            let bound = match &argument.kind {
                ExprKind::Any => continue,
                ExprKind::Capture(capture) => match self.lookup(capture) {
                    Some((Term::Binding(binding), _)) => Bound::Binding(binding),
                    Some((term, kind)) => Bound::Term(term, kind),
                    None => Bound::Binding(self.bind(capture, None)),
                },
                _ => {
                    let (term, kind) = self.term(argument, Kind::Any);
                    Bound::Term(term, kind)
                }
            };
            frame.names.insert(spelled(parameter), bound);
        }
        let (operations, conditions) = (self.operations.len(), self.conditions.len());
        self.frames.push(frame);
        self.matches(matches);
        if let Some(wheres) = &fragment.wheres {
            self.wheres(wheres);
        }
        self.frames.pop();
        // A rule's places are in its own file: what comes from another stands where it is used.
        if self.context.scope.source(source) != self.source() {
            for operation in &mut self.operations[operations..] {
                operation.span = call.span;
                operation.attributes.iter_mut().for_each(|attribute| attribute.span = call.span);
            }
            for condition in &mut self.conditions[conditions..] {
                let (Condition::Bind { span, .. }
                | Condition::Each { span, .. }
                | Condition::Test { span, .. }) = condition;
                *span = call.span;
            }
        }
    }

    /// Whether a fragment is expanded in itself, which is refused.
    fn uses_itself(&mut self, call: &Call) -> bool {
        let is_endless = self.frames.len() > DEEPEST;
        if is_endless {
            let message = format!("fragment `{}` uses itself", call.name.item);
            self.error("relo::check::fragment_cycle", call.name.span, message).help =
                Some("fragments are expanded in place: let one of them end".to_owned());
        }
        is_endless
    }

    fn bind_arguments(&mut self, call: &Call) {
        let captures: Vec<&Capture> = call
            .arguments
            .iter()
            .filter_map(|argument| match &argument.kind {
                ExprKind::Capture(capture) => Some(capture),
                _ => None,
            })
            .collect();
        self.bind_anyway(captures);
    }

    /// Expands a fragment that builds: its first parameters are its results, the others its arguments.
    pub(super) fn build_fragment(
        &mut self,
        results: &[Capture],
        call: &Call,
        source: usize,
        fragment: &Fragment,
    ) {
        let Some(rewrite) = &fragment.rewrite else {
            let message = format!("fragment `{}` has no `rewrite`: it only matches", call.name.item);
            self.error("relo::check::fragment_use", call.name.span, message).help =
                Some("use it in a `match`, or give it a `rewrite`".to_owned());
            return;
        };
        if fragment.parameters.len() != results.len() + call.arguments.len() {
            let message = format!(
                "fragment `{}` takes {} captures, results first, not {}",
                call.name.item,
                fragment.parameters.len(),
                results.len() + call.arguments.len()
            );
            let parameters: Vec<String> = fragment.parameters.iter().map(spelled).collect();
            self.error("relo::check::arguments", call.name.span, message).set_label("used here").help =
                Some(format!("its parameters are: {}", parameters.join(", ")));
            return;
        }
        if self.uses_itself(call) {
            return;
        }
        let (outputs, inputs) = fragment.parameters.split_at(results.len());
        let mut frame = Frame { source: Some(source), ..Frame::default() };
        for (parameter, argument) in inputs.iter().zip(&call.arguments) {
            let term = self.value(argument, Kind::Any);
            let bound = match term {
                Term::Binding(binding) => Bound::Binding(binding),
                term => Bound::Term(term, Kind::Any),
            };
            frame.names.insert(spelled(parameter), bound);
        }
        self.frames.push(frame);
        if let Some(wheres) = &fragment.wheres {
            self.wheres(wheres);
        }
        self.statements(rewrite);
        let frame = self.frames.pop().unwrap_or_default();
        for (result, output) in results.iter().zip(outputs) {
            match frame.names.get(&spelled(output)) {
                Some(Bound::Binding(value)) if self.is_bound(result) => {
                    self.replace(result, *value, result.name.span);
                }
                Some(Bound::Binding(value)) => {
                    let value = *value;
                    if let Some(own) = self.frames.last_mut() {
                        own.names.insert(spelled(result), Bound::Binding(value));
                    }
                }
                _ => {
                    let message =
                        format!("fragment `{}` does not build `{}`", call.name.item, spelled(output));
                    self.error("relo::check::fragment_use", call.name.span, message).help = Some(
                        "the first parameters are results, and the `rewrite` has to name them".to_owned(),
                    );
                }
            }
        }
    }
}
