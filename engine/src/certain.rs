//! Conditions that always hold: they give a name to what a native says that always has an answer.

use indexmap::IndexMap;
use relo_grammar::span::Span;

use crate::native::Signature;
use crate::normal::{AttributeTest, BindingId, Condition, Rule, Term};

impl Rule {
    /// Where conditions stand that hold wherever they are asked, so that no operation is turned down by them.
    pub fn certain(&self, signatures: &IndexMap<&'static str, Signature>) -> Vec<Span> {
        let certain = |condition: &Condition| match condition {
            Condition::Bind { bindings, term, span } => {
                // What was bound before is compared.
                let fresh = |id: &BindingId| span.to(self.bindings[id.0].span) == *span;
                (bindings.iter().flatten().all(fresh) && self.has_value(term, signatures)).then_some(*span)
            }
            Condition::Each { .. } | Condition::Test { .. } => None,
        };
        self.conditions.iter().filter_map(certain).collect()
    }

    fn has_value(&self, term: &Term, signatures: &IndexMap<&'static str, Signature>) -> bool {
        match term {
            Term::Binding(id) => !self.may_be_unset(*id),
            Term::Call { native, arguments } => {
                signatures.get(native.as_str()).is_some_and(|signature| signature.total)
                    && arguments.iter().all(|argument| self.has_value(argument, signatures))
            }
            Term::Referent { parts, .. } => parts.iter().all(|part| self.has_value(part, signatures)),
            Term::List(terms) => terms.iter().all(|term| self.has_value(term, signatures)),
            Term::Not(_) | Term::Binary(..) => false,
            Term::Bool(_) | Term::Int(_) | Term::Str(_) | Term::Regex(_) | Term::Type(_) | Term::Absent => {
                true
            }
        }
    }

    /// Whether it is bound to an attribute that need not be there.
    fn may_be_unset(&self, id: BindingId) -> bool {
        let mut attributes = self.operations.iter().flat_map(|operation| &operation.attributes);
        attributes.any(|attribute| attribute.test == AttributeTest::BindOptional(id))
    }
}
