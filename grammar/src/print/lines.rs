//! The lines of blocks as text.

use super::expressions::{Spelling, capture};
use crate::tree::{
    Attribute, Capture, Clause, Expr, ExprKind, MatchItem, Operand, Operation, Sigil, Statement,
};

impl Spelling<'_> {
    pub(crate) fn match_item(self, item: &MatchItem) -> String {
        match item {
            MatchItem::Operation(inner) => self.operation(inner),
            MatchItem::Fragment(inner) => self.call(inner),
        }
    }

    pub(crate) fn clause(self, clause: &Clause) -> String {
        match clause {
            Clause::Bind { captures, value, .. } => match captures.as_slice() {
                [one] => format!("{} = {}", capture(one), self.expr(value)),
                several => format!("({}) = {}", captures_of(several), self.expr(value)),
            },
            Clause::Test(condition) => {
                let text = self.expr(condition);
                // A line that begins with a minus goes on with the one before.
                if text.starts_with('-') { format!("({text})") } else { text }
            }
        }
    }

    pub(crate) fn statement(self, statement: &Statement) -> String {
        match statement {
            Statement::Build(inner) => self.operation(inner),
            Statement::Call { results, call: inner, types } => {
                // `cast %i`: what turns one value into another reads like an operation.
                let built = match inner.arguments.as_slice() {
                    [argument] if is_value(argument) && !inner.name.item.contains('.') => {
                        format!("{} {}", inner.name.item, self.expr(argument))
                    }
                    _ => self.call(inner),
                };
                format!("{}{built}{}", results_of(results), self.types_of(types))
            }
            Statement::Replace(old, new, _) => format!("{} = {}", capture(old), capture(new)),
            Statement::Site { global, offset, referent, .. } => {
                format!("site {} + {} = {}", self.primary(global), self.primary(offset), self.expr(referent))
            }
            Statement::Erase(None, _) => "erase".to_owned(),
            Statement::Erase(Some(what), _) => format!("erase {}", self.primary(what)),
        }
    }

    fn operation(self, operation: &Operation) -> String {
        let attributes: Vec<String> = operation.attributes.iter().map(|item| self.attribute(item)).collect();
        let (before, after) = self.operation_around(operation);
        let attributes = match (attributes.is_empty(), operation.attributes_span) {
            (true, None) => String::new(),
            (true, Some(_)) => " {}".to_owned(),
            (false, _) => format!(" {{ {} }}", attributes.join(", ")),
        };
        format!("{before}{attributes}{after}")
    }

    /// What stands before and after an operation's attributes. The type of what has an initializer stands before it, so
    /// that a global reads as one.
    pub(crate) fn operation_around(self, operation: &Operation) -> (String, String) {
        let mut before = format!("{}{}", results_of(&operation.results), operation.name.item);
        match operation.operands.as_deref() {
            None => {}
            Some([]) => before.push_str(" ()"),
            Some(operands) => {
                before.push(' ');
                before
                    .push_str(&operands.iter().map(|item| self.operand(item)).collect::<Vec<_>>().join(", "));
            }
        }
        match &operation.initializer {
            Some(value) => (
                format!("{before}{} = {}", self.types_of(&operation.types), self.primary(value)),
                String::new(),
            ),
            None => (before, self.types_of(&operation.types)),
        }
    }

    fn operand(self, operand: &Operand) -> String {
        match operand {
            Operand::Value(value) => capture(value),
            Operand::Any(_) => "_".to_owned(),
            Operand::Rest(None, _) => "..".to_owned(),
            Operand::Rest(Some(rest), _) => format!("..{}", capture(rest)),
            Operand::Symbol(symbol) => self.primary(symbol),
            Operand::Nested(inner) => format!("({})", self.operation(inner)),
        }
    }

    pub(crate) fn attribute(self, attribute: &Attribute) -> String {
        match attribute {
            Attribute::Is { name, optional, value } => {
                let mark = if *optional { "?" } else { "" };
                match value {
                    Some(value) => format!("{}{mark} = {}", name.item, self.expr(value)),
                    None => format!("{}{mark}", name.item),
                }
            }
            Attribute::Absent(name) => format!("!{}", name.item),
            Attribute::Rest(None, _) => "..".to_owned(),
            Attribute::Rest(Some(rest), _) => format!("..{}", capture(rest)),
        }
    }

    fn types_of(self, types: &[Expr]) -> String {
        if types.is_empty() {
            return String::new();
        }
        format!(" : {}", types.iter().map(|item| self.primary(item)).collect::<Vec<_>>().join(", "))
    }
}

fn is_value(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Capture(capture) if capture.sigil == Sigil::Value)
}

fn captures_of(captures: &[Capture]) -> String {
    captures.iter().map(capture).collect::<Vec<_>>().join(", ")
}

fn results_of(results: &[Capture]) -> String {
    if results.is_empty() { String::new() } else { format!("{} = ", captures_of(results)) }
}
