//! Attributes and types to match, and which values an attribute can hold.

use relo_grammar::span::Name;
use relo_grammar::tree::{Expr, ExprKind, Operation, Sigil};

use super::Normaliser;
use crate::datum::Kind;
use crate::finding::suggestion;
use crate::normal::{AttributeTest, Term, TypePattern};
use crate::schema::{AttributeFacts, OperationFacts, Presence};

impl Normaliser<'_> {
    /// Reports an attribute that the operation does not have. Discardable ones have a dialect's prefix.
    pub(super) fn check_attribute(&mut self, operation: &Operation, facts: &OperationFacts, name: &Name) {
        if facts.attribute(&name.item).is_some() || name.item.contains('.') {
            return;
        }
        let help = suggestion(&name.item, facts.attributes.iter().map(|attribute| attribute.name.as_str()));
        let finding = self.error(
            "relo::check::unknown_attribute",
            name.span,
            format!("`{}` has no attribute `{}`", operation.name.item, name.item),
        );
        finding.labels[0].text = "this name".to_owned();
        finding.help = Some(help);
    }

    pub(super) fn attribute_test(
        &mut self,
        facts: &OperationFacts,
        name: &str,
        optional: bool,
        value: Option<&Expr>,
    ) -> AttributeTest {
        let Some(value) = value else { return AttributeTest::Present };
        match &value.kind {
            ExprKind::Any => AttributeTest::Ignored,
            ExprKind::Capture(capture) if self.lookup(capture).is_none() => {
                let held = facts.attribute(name).and_then(AttributeFacts::kind).unwrap_or(Kind::Attribute);
                let kind = if capture.sigil == Sigil::Symbol { Kind::Symbol } else { held };
                self.check_holds(facts, name, kind, value);
                let binding = self.bind(capture, Some(kind));
                if optional { AttributeTest::BindOptional(binding) } else { AttributeTest::Bind(binding) }
            }
            _ => {
                let (term, kind) = self.any_term(value, facts.attribute(name).map_or(Kind::Any, expected));
                if term != Term::Absent {
                    self.check_holds(facts, name, kind, value);
                }
                let facts = facts.attribute(name);
                // A default that is left out: MLIR's first enumerator.
                let is_default = facts.is_some_and(|facts| {
                    facts.presence == Presence::Variadic
                        && matches!(&term, Term::Str(text) if facts.cases.first() == Some(text))
                });
                if let (Term::Str(text), Some(facts)) = (&term, facts)
                    && !facts.cases.is_empty()
                    && !facts.cases.contains(text)
                {
                    let help = suggestion(text, facts.cases.iter().map(String::as_str));
                    let message = format!("`{name}` has no enumerator `{text}`");
                    self.error("relo::check::unknown_enumerator", value.span, message).help = Some(help);
                }
                if optional || is_default || term == Term::Bool(false) {
                    AttributeTest::EqualsOrAbsent(term)
                } else {
                    AttributeTest::Equals(term)
                }
            }
        }
    }

    /// Reports a value of a kind that the attribute never has.
    pub(super) fn check_holds(&mut self, facts: &OperationFacts, name: &str, kind: Kind, value: &Expr) {
        let Some(attribute) = facts.attribute(name).filter(|attribute| !attribute.holds(kind)) else {
            return;
        };
        let held = attribute.kind().unwrap_or(Kind::Attribute);
        let cases = attribute.cases.clone();
        let message = format!(
            "`{name}` holds {}",
            if cases.is_empty() { held.to_string() } else { "an enumerator".into() }
        );
        let finding = self.error("relo::check::kind", value.span, message);
        finding.set_label(format!("this is {kind}"));
        finding.help = match held {
            _ if !cases.is_empty() => Some(suggestion("", cases.iter().map(String::as_str))),
            held => super::terms::wanted(held).map(ToOwned::to_owned),
        };
    }

    pub(super) fn type_pattern(&mut self, expr: &Expr) -> TypePattern {
        match &expr.kind {
            ExprKind::Any => TypePattern::Any,
            ExprKind::Capture(capture) => match self.lookup(capture) {
                Some((term, _)) => TypePattern::Equals(term),
                None => TypePattern::Bind(self.bind(capture, Some(Kind::Type))),
            },
            _ => TypePattern::Equals(self.term(expr, Kind::Type).0),
        }
    }
}

/// What a term is read as where an attribute is to hold it: an enumerator may be called as a type is.
pub(super) fn expected(attribute: &AttributeFacts) -> Kind {
    if attribute.cases.is_empty() { Kind::Any } else { Kind::Str }
}
