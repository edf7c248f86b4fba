//! Calls in a `rewrite`.

use relo_grammar::tree::{Call, Capture, Expr, ExprKind};

use super::Normaliser;
use super::captures::{Bound, spelled};
use crate::datum::Kind;
use crate::finding::counted;
use crate::native::Effect;
use crate::normal::{BindingId, Construction, Term};

impl Normaliser<'_> {
    /// A value that is known before anything is built, or a builder's result.
    pub(super) fn value(&mut self, expr: &Expr, expected: Kind) -> Term {
        if self.is_builder(expr)
            && let ExprKind::Call(call) = &expr.kind
        {
            return self.builder(call, &[], expected).map_or(Term::Absent, Term::Binding);
        }
        let (term, kind) = self.term(expr, expected);
        self.settle(term, kind, expr.span)
    }

    /// Whether an expression builds something.
    pub(super) fn is_builder(&self, expr: &Expr) -> bool {
        let ExprKind::Call(call) = &expr.kind else { return false };
        let signature = self.context.signatures.get(call.name.item.as_str());
        signature.is_some_and(|signature| signature.effect == Effect::Builder)
    }

    /// A call of a builder native; gives the binding of its result.
    fn builder(&mut self, call: &Call, types: &[Expr], expected: Kind) -> Option<BindingId> {
        let signature = self.signature(call)?;
        self.arguments(call, &signature, call.arguments.len() + types.len());
        let arguments: Vec<Term> = call
            .arguments
            .iter()
            .chain(types)
            .enumerate()
            .map(|(index, argument)| {
                let wanted = signature.parameters.get(index).map_or(Kind::Any, |(_, kind)| *kind);
                self.value(argument, wanted)
            })
            .collect();
        let result = signature.results.first().map(|kind| {
            if !kind.fits(expected) {
                let message = format!("expected {expected}, found {kind}");
                self.error("relo::check::kind", call.span, message)
                    .set_label(format!("this is {kind}"))
                    .help = super::terms::wanted(expected).map(ToOwned::to_owned);
            }
            self.fresh(*kind, call.span)
        });
        self.constructions.push(Construction::Builder {
            native: call.name.item.clone(),
            arguments,
            result,
            span: call.span,
        });
        result
    }

    pub(super) fn build_call(&mut self, results: &[Capture], call: &Call, types: &[Expr]) {
        if let Some((source, fragment)) = self.context.scope.fragment(self.item.pack, &call.name.item) {
            self.build_fragment(results, call, source, fragment);
            return;
        }
        let Some(signature) = self.signature(call) else {
            for argument in &call.arguments {
                self.value(argument, Kind::Any);
            }
            self.name_anyway(results);
            return;
        };
        if signature.effect == Effect::Pure {
            let message = format!("`{}` builds nothing", signature.name);
            self.error("relo::check::pure_in_rewrite", call.span, message).help =
                Some("call it in `where`, and use what it gives here".to_owned());
            self.name_anyway(results);
            return;
        }
        let built = self.builder(call, types, Kind::Any);
        match (results, built) {
            ([], _) => {}
            ([result], Some(value)) if self.is_bound(result) => self.replace(result, value, result.name.span),
            ([result], Some(value)) => {
                if let Some(frame) = self.frames.last_mut() {
                    frame.names.insert(spelled(result), Bound::Binding(value));
                }
            }
            _ => {
                let message = format!(
                    "`{}` gives {}, not {}",
                    call.name.item,
                    counted(signature.results.len(), "value"),
                    results.len()
                );
                self.error("relo::check::values", call.name.span, message).set_label("called here").help =
                    Some(format!("write as many names on the left as it gives: {}", signature.doc));
            }
        }
    }

    /// Names what a broken line would have built, so that one mistake is told once.
    fn name_anyway(&mut self, results: &[Capture]) {
        for result in results {
            self.name_result(result, result.name.span);
        }
    }
}
