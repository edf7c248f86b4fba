//! An operation that is built: operands, attributes and types.

use relo_grammar::span::Name;
use relo_grammar::tree::{Attribute, Expr, ExprKind, Operand, Operation};

use super::Normaliser;
use super::attributes::expected;
use crate::datum::Kind;
use crate::finding::Finding;
use crate::normal::{BindingId, Construction, Term};
use crate::schema::{OperationFacts, Presence};

impl Normaliser<'_> {
    /// One operation that is built; gives the bindings of its results.
    pub(super) fn build(&mut self, operation: &Operation) -> Vec<BindingId> {
        let Some(facts) = self.facts(operation) else { return Vec::new() };
        if facts.successors {
            let message = format!("`{}` has successors, which no rule can write", operation.name.item);
            self.error("relo::check::successors", operation.name.span, message).help =
                Some("rules build what stands inside a block, not what ends it".to_owned());
            return Vec::new();
        }
        let (operands, mut attributes) = self.built_operands(operation, &facts);
        let spread = self.built_attributes(operation, &facts, &mut attributes);
        let types: Vec<Term> = operation.types.iter().map(|ty| self.built_type(ty)).collect();
        if facts.regions {
            self.build_global(operation, &facts, attributes, spread, types);
            return Vec::new();
        }
        self.check_results(operation, &facts);
        self.check_required(operation, &facts, &attributes, spread.is_some());
        let required = facts.results.iter().filter(|(_, presence)| *presence == Presence::Required).count();
        if types.len() < required.max(operation.results.len()) {
            let message = format!("the type of the result of `{}` is missing", operation.name.item);
            self.error("relo::check::result_type", operation.span, message).help =
                Some("write it after a colon: `: i64`".to_owned());
        }
        let results: Vec<BindingId> = (0..types.len().max(operation.results.len()))
            .map(|index| match operation.results.get(index) {
                Some(capture) => self.name_result(capture, operation.span),
                None => self.fresh(Kind::Value, operation.span),
            })
            .collect();
        self.constructions.push(Construction::Operation {
            name: operation.name.item.clone(),
            operands,
            attributes,
            spread,
            types,
            results: results.clone(),
            span: operation.span,
        });
        results
    }

    /// A type that is built with: it has to be there for every target whose sites the rule is for.
    fn built_type(&mut self, ty: &Expr) -> Term {
        let (term, _) = self.term(ty, Kind::Type);
        let target = self.context.target;
        let is_used = self.item.strategy.is_none_or(|strategy| {
            target.spec.strategies.iter().any(|choice| choice.strategy == strategy.name.item)
        });
        if let (ExprKind::Target(name), Term::Absent, true) = (&ty.kind, &term, is_used)
            && self.context.scope.properties().contains(&name.item)
        {
            let message =
                format!("target `{}` has no `{}`, which is the type here", target.spec.name, name.item);
            let mut finding =
                Finding::error("relo::check::property_missing", self.source(), name.span, message)
                    .label("needed here")
                    .help(format!("add `{}: …` to the target in its pack.yaml", name.item));
            if let Some(pack) = self.context.scope.pack(&target.pack) {
                let place = pack.key_place(&format!("targets/{}", target.spec.name));
                finding = finding.also(&pack.yaml, place, "this target leaves it out");
            }
            self.findings.push(finding);
        }
        term
    }

    fn built_operands(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
    ) -> (Vec<Term>, Vec<(String, Term)>) {
        let (mut operands, mut attributes, mut open) = (Vec::new(), Vec::new(), false);
        for operand in operation.operands.iter().flatten() {
            match operand {
                Operand::Value(capture) => match self.lookup(capture) {
                    Some((term, _)) => operands.push(term),
                    None => self.unbound(capture),
                },
                Operand::Nested(nested) => {
                    operands.extend(self.build(nested).first().copied().map(Term::Binding));
                }
                Operand::Rest(Some(capture), _) => match self.lookup(capture) {
                    Some((term, _)) => {
                        open = true;
                        operands.push(term);
                    }
                    None => self.unbound(capture),
                },
                Operand::Symbol(expr) => {
                    let value = self.value(expr, Kind::Symbol);
                    match facts.symbol_attribute() {
                        Some(name) => attributes.push((name.to_owned(), value)),
                        None => {
                            let message = format!("`{}` takes no symbol", operation.name.item);
                            self.error("relo::check::no_symbol", expr.span, message).help =
                                Some("set the attribute by its name in braces".to_owned());
                        }
                    }
                }
                Operand::Any(span) | Operand::Rest(None, span) => {
                    self.error("relo::check::wildcard", *span, "nothing says what stands here").help =
                        Some("a rewrite names each operand".to_owned());
                    operands.push(Term::Absent);
                }
            }
        }
        self.check_operand_count(operation, facts, operands.len(), open);
        (operands, attributes)
    }

    fn built_attributes(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        attributes: &mut Vec<(String, Term)>,
    ) -> Option<BindingId> {
        let mut spread = None;
        for attribute in &operation.attributes {
            match attribute {
                Attribute::Rest(Some(capture), span) => match self.lookup(capture) {
                    Some((Term::Binding(binding), _)) => spread = Some(binding),
                    Some(_) => {
                        self.error("relo::check::kind", *span, "only attributes can be spread").help =
                            Some("capture them in the match: `..$rest`".to_owned());
                    }
                    None => self.unbound(capture),
                },
                Attribute::Rest(None, span) => {
                    self.error("relo::check::wildcard", *span, "nothing says which attributes these are")
                        .help =
                        Some("capture them in the match, `..$rest`, and write `..$rest` here".to_owned());
                }
                Attribute::Absent(name) => {
                    self.check_attribute(operation, facts, name);
                    attributes.push((name.item.clone(), Term::Absent));
                }
                Attribute::Is { name, value, .. } => {
                    self.check_attribute(operation, facts, name);
                    let term = match value {
                        Some(value) => self.held_value(facts, &name.item, value),
                        None => self.bare_attribute(facts, name),
                    };
                    self.check_enumerator(facts, &name.item, &term, value.as_ref());
                    attributes.push((name.item.clone(), term));
                }
            }
        }
        spread
    }

    /// The value of an attribute that is built.
    fn held_value(&mut self, facts: &OperationFacts, name: &str, value: &Expr) -> Term {
        if self.is_builder(value) {
            return self.value(value, Kind::Any);
        }
        let (term, kind) = self.any_term(value, facts.attribute(name).map_or(Kind::Any, expected));
        if term != Term::Absent {
            self.check_holds(facts, name, kind, value);
        }
        self.settle(term, kind, value.span)
    }

    /// `invariant`: a unit or boolean attribute that is set.
    fn bare_attribute(&mut self, facts: &OperationFacts, name: &Name) -> Term {
        let constraint = facts.attribute(&name.item).map(|attribute| attribute.constraint.as_str());
        if let Some(constraint) = constraint
            && !constraint.contains("Unit")
            && !constraint.contains("Bool")
        {
            let message = format!("`{}` needs a value", name.item);
            self.error("relo::check::attribute_value", name.span, message).help =
                Some(format!("write `{} = …`", name.item));
        }
        Term::Bool(true)
    }

    pub(super) fn check_enumerator(
        &mut self,
        facts: &OperationFacts,
        name: &str,
        term: &Term,
        value: Option<&Expr>,
    ) {
        let (Term::Str(text), Some(facts), Some(value)) = (term, facts.attribute(name), value) else {
            return;
        };
        if facts.cases.is_empty() || facts.cases.contains(text) {
            return;
        }
        let help = crate::finding::suggestion(text, facts.cases.iter().map(String::as_str));
        let message = format!("`{name}` has no enumerator `{text}`");
        self.error("relo::check::unknown_enumerator", value.span, message).help = Some(help);
    }

    /// Attributes that have to be there: found now, not by MLIR's verifier.
    fn check_required(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        attributes: &[(String, Term)],
        open: bool,
    ) {
        if open {
            return;
        }
        let missing: Vec<&str> = facts
            .attributes
            .iter()
            .filter(|attribute| attribute.presence == Presence::Required)
            .map(|attribute| attribute.name.as_str())
            .filter(|name| !attributes.iter().any(|(set, _)| set == name))
            .collect();
        if !missing.is_empty() {
            let list = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!("`{}` needs {list}", operation.name.item);
            self.error("relo::check::attribute_missing", operation.name.span, message).help =
                Some(format!("set it in braces: `{{ {} = … }}`", missing[0]));
        }
    }
}
