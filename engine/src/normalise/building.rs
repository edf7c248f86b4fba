//! `rewrite`: statements to constructions, and what becomes of the root.

use relo_grammar::span::Span;
use relo_grammar::tree::{Capture, Rewrite, Statement};

use super::Normaliser;
use super::captures::spelled;
use crate::datum::Kind;
use crate::normal::{BindingId, RootFate, Term};

impl Normaliser<'_> {
    /// Reads a rule's `rewrite`.
    pub(super) fn rewrite(&mut self, block: &Rewrite) -> Option<RootFate> {
        let erased = self.statements(block);
        self.check_region(erased);
        let root = self.operations.last()?;
        let facts = self.context.schema.operation(&root.name).unwrap_or_default();
        let count = facts.results.len();
        let (results, name, span) = (root.results.clone(), root.name.clone(), root.span);
        if count == 0 {
            if block.statements.is_empty() {
                self.error("relo::check::empty_rewrite", block.span, "this rewrite does nothing").help =
                    Some("build something, or write `erase`".to_owned());
            }
            return Some(RootFate::Erased);
        }
        if let Some(span) = erased {
            self.error(
                "relo::check::erase_with_results",
                span,
                format!("`{name}` has a result, which may be used"),
            )
            .help = Some("replace the result: `%x = …`, with the name that the match gives it".to_owned());
            return None;
        }
        let mut fate = Vec::new();
        for index in 0..count {
            let binding = results.get(index).copied().flatten();
            match binding.and_then(|binding| self.replacements.get(&binding)) {
                Some(replacement) => fate.push(*replacement),
                None => {
                    let what = match binding {
                        Some(binding) => format!("nothing replaces `{}`", self.bindings[binding.0].name),
                        None => {
                            format!("result {index} of `{name}` has no name, so that nothing can replace it")
                        }
                    };
                    let source_span = if binding.is_some() { block.span } else { span };
                    self.error("relo::check::result_lost", source_span, what).help =
                        Some("a rewrite gives every result of the root a new value: `%x = …`".to_owned());
                    return None;
                }
            }
        }
        Some(RootFate::Replaced(fate))
    }

    /// The statements of a block; gives the place of its `erase`.
    pub(super) fn statements(&mut self, block: &Rewrite) -> Option<Span> {
        let mut erased = None;
        for statement in &block.statements {
            match statement {
                Statement::Build(operation) => {
                    self.build(operation);
                }
                Statement::Call { results, call, types } => self.build_call(results, call, types),
                Statement::Replace(old, new, span) => match self.lookup(new) {
                    Some((Term::Binding(value), _)) => self.replace(old, value, *span),
                    Some(_) => {}
                    None => self.unbound(new),
                },
                Statement::Site { global, offset, referent, span } => {
                    self.site(global, offset, referent, *span);
                }
                Statement::Erase(None, span) => erased = Some(*span),
                Statement::Erase(Some(expr), span) => {
                    self.require_root_symbol(expr, *span);
                    erased = Some(*span);
                }
            }
        }
        erased
    }

    /// Names a new value: a result of the root is replaced by it, any other name is bound to it.
    pub(super) fn name_result(&mut self, capture: &Capture, span: Span) -> BindingId {
        if capture.name.item == "_" {
            return self.fresh(Kind::Value, span);
        }
        if self.is_bound(capture) {
            let value = self.fresh(Kind::Value, span);
            self.replace(capture, value, capture.name.span);
            return value;
        }
        self.bind(capture, Some(Kind::Value))
    }

    pub(super) fn replace(&mut self, old: &Capture, value: BindingId, span: Span) {
        let root = self.operations.len().saturating_sub(1);
        match self.lookup(old) {
            Some((Term::Binding(binding), _))
                if self.results.get(&binding).is_some_and(|(op, _)| *op == root) =>
            {
                if self.replacements.insert(binding, value).is_some() {
                    self.error(
                        "relo::check::replaced_twice",
                        span,
                        format!("`{}` is replaced twice", spelled(old)),
                    )
                    .set_label("replaced again")
                    .help = Some("it has one value: drop one of the two, or give it another name".to_owned());
                }
            }
            Some((Term::Binding(binding), _)) if self.frames.len() > 1 => {
                // A fragment's parameter that its user left to be bound.
                self.replacements.insert(binding, value);
            }
            Some(_) => {
                let message = format!("`{}` is not a result of the root", spelled(old));
                self.error("relo::check::replaces_other", span, message).help = Some(
                    "only the root's results are replaced: what else loses its last use goes away by itself"
                        .to_owned(),
                );
            }
            None => self.unbound(old),
        }
    }
}
