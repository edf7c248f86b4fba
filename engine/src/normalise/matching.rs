//! `match`: operations and operands to patterns.

use relo_grammar::span::Span;
use relo_grammar::tree::{Attribute, Capture, Expr, ExprKind, Match, MatchItem, Operand, Operation};

use super::Normaliser;
use super::captures::{Bound, spelled};
use crate::datum::Kind;
use crate::finding::{counted, suggestion};
use crate::normal::{
    AttributePattern, AttributeTest, OperandPattern, OperandsPattern, OperationPattern, RestPattern, Term,
};
use crate::schema::{OperationFacts, Presence};

impl Normaliser<'_> {
    pub(super) fn matches(&mut self, block: &Match) {
        for item in &block.patterns {
            match item {
                MatchItem::Operation(operation) => {
                    self.operation(operation);
                }
                MatchItem::Fragment(call) => self.fragment(call),
            }
        }
    }

    /// The facts of an operation, or a finding at its name.
    pub(super) fn facts(&mut self, operation: &Operation) -> Option<OperationFacts> {
        let name = &operation.name.item;
        let facts = self.context.schema.operation(name);
        if facts.is_none() {
            let names = self.context.schema.names();
            let help = suggestion(name, names.iter().map(String::as_str));
            let finding = self.error(
                "relo::check::unknown_operation",
                operation.name.span,
                format!("there is no operation `{name}`"),
            );
            finding.labels[0].text = "this name".to_owned();
            finding.help = Some(help);
        }
        facts
    }

    /// One operation; gives its index.
    fn operation(&mut self, operation: &Operation) -> Option<usize> {
        let facts = self.facts(operation);
        let unknown = facts.is_none();
        let facts = facts.unwrap_or_default();
        let mut attributes = Vec::new();
        let operands = self.operands(operation, &facts, unknown, &mut attributes);
        let mut rest = None;
        for attribute in &operation.attributes {
            match attribute {
                Attribute::Rest(capture, _) => {
                    rest = capture.as_ref().map(|capture| self.bind(capture, Some(Kind::Dictionary)));
                }
                Attribute::Absent(name) => {
                    if !unknown {
                        self.check_attribute(operation, &facts, name);
                    }
                    attributes.push(AttributePattern {
                        name: name.item.clone(),
                        test: AttributeTest::Absent,
                        span: name.span,
                    });
                }
                Attribute::Is { name, optional, value } => {
                    if !unknown {
                        self.check_attribute(operation, &facts, name);
                    }
                    let test = self.attribute_test(&facts, &name.item, *optional, value.as_ref());
                    attributes.push(AttributePattern { name: name.item.clone(), test, span: name.span });
                }
            }
        }
        let types = operation.types.iter().map(|ty| self.type_pattern(ty)).collect();
        if !unknown {
            self.check_results(operation, &facts);
        }
        let index = self.operations.len();
        let results = operation
            .results
            .iter()
            .enumerate()
            .map(|(result, capture)| self.result(capture, index, result))
            .collect();
        self.operations.push(OperationPattern {
            name: operation.name.item.clone(),
            operands,
            attributes,
            rest,
            results,
            types,
            span: operation.span,
        });
        (!unknown).then_some(index)
    }

    fn result(
        &mut self,
        capture: &Capture,
        operation: usize,
        result: usize,
    ) -> Option<crate::normal::BindingId> {
        if capture.name.item == "_" {
            return None;
        }
        let bound = self.frames.last().and_then(|frame| frame.names.get(&spelled(capture))).cloned();
        let binding = match bound {
            // A fragment's parameter: its user has named the value already.
            Some(Bound::Binding(binding)) if self.frames.len() > 1 => binding,
            Some(_) => {
                self.error(
                    "relo::check::bound_twice",
                    capture.name.span,
                    format!("`{}` is bound already", spelled(capture)),
                )
                .help =
                    Some("each result has one name; two operations can't define the same value".to_owned());
                return None;
            }
            None => self.bind(capture, Some(Kind::Value)),
        };
        self.results.insert(binding, (operation, result));
        Some(binding)
    }

    /// More results or operands than the operation has, counted where the facts are exact.
    pub(super) fn check_results(&mut self, operation: &Operation, facts: &OperationFacts) {
        let exact = facts.results.iter().all(|(_, presence)| *presence == Presence::Required);
        let most = facts.results.len();
        let names = operation.results.iter().map(|capture| capture.name.span).collect::<Vec<_>>();
        let types = operation.types.iter().map(|ty| ty.span).collect();
        for places in [names, types] {
            if places.len() > most && (exact || most == 0) {
                let message = format!(
                    "`{}` has {}, not {}",
                    operation.name.item,
                    counted(most, "result"),
                    places.len()
                );
                let results: Vec<&str> = facts.results.iter().map(|(name, _)| name.as_str()).collect();
                self.error("relo::check::results", places[most], message).set_label("one too many").help =
                    Some(match results[..] {
                        [] => "it has no result to name".to_owned(),
                        _ => format!("its results are: {}", results.join(", ")),
                    });
                return;
            }
        }
    }

    fn operands(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        unknown: bool,
        attributes: &mut Vec<AttributePattern>,
    ) -> OperandsPattern {
        let Some(operands) = &operation.operands else { return OperandsPattern::Any };
        let (mut fixed, mut rest) = (Vec::new(), RestPattern::None);
        let mut values = 0;
        for operand in operands {
            match operand {
                Operand::Symbol(expr) => {
                    if let Some(pattern) = self.symbol_pattern(operation, facts, unknown, expr) {
                        attributes.push(pattern);
                    }
                    continue;
                }
                Operand::Any(_) => fixed.push(OperandPattern::Any),
                Operand::Value(capture) => {
                    let pattern = self.operand(capture);
                    fixed.push(pattern);
                }
                Operand::Nested(nested) => fixed
                    .push(self.operation(nested).map_or(OperandPattern::Any, |operation| {
                        OperandPattern::ResultOf { operation, result: 0 }
                    })),
                Operand::Rest(capture, _) => {
                    rest = capture.as_ref().map_or(RestPattern::Ignored, |capture| {
                        RestPattern::Bind(self.bind(capture, Some(Kind::List)))
                    });
                }
            }
            values += 1;
        }
        // Only a symbol was written: the operands don't matter.
        if values == 0 && !operands.is_empty() {
            return OperandsPattern::Any;
        }
        if !unknown {
            self.check_operand_count(operation, facts, fixed.len(), rest != RestPattern::None);
        }
        OperandsPattern::List { fixed, rest }
    }

    pub(super) fn check_operand_count(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        count: usize,
        open: bool,
    ) {
        let required = facts.operands.iter().filter(|(_, presence)| *presence == Presence::Required).count();
        let unbounded = facts.operands.iter().any(|(_, presence)| *presence == Presence::Variadic);
        let most = facts.operands.len();
        if (count < required && !open) || (count > most && !unbounded) {
            let names: Vec<&str> = facts.operands.iter().map(|(name, _)| name.as_str()).collect();
            let mut values = operation.operands.iter().flatten().filter_map(operand_span);
            let extra = values.nth(most).filter(|_| count > most);
            let finding = self.error(
                "relo::check::operands",
                extra.unwrap_or(operation.name.span),
                format!("`{}` does not take {}", operation.name.item, counted(count, "operand")),
            );
            finding.set_label(if extra.is_some() { "one too many" } else { "too few" });
            finding.help = Some(if names.is_empty() {
                "it has none".to_owned()
            } else {
                format!("its operands are: {}", names.join(", "))
            });
        }
    }

    fn symbol_pattern(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        unknown: bool,
        expr: &Expr,
    ) -> Option<AttributePattern> {
        let name = match facts.symbol_attribute() {
            Some(name) => name.to_owned(),
            // Bound all the same, so that a misspelt operation is the only mistake.
            None if unknown => "sym_name".to_owned(),
            None => {
                self.error(
                    "relo::check::no_symbol",
                    expr.span,
                    format!("`{}` has no symbol to match", operation.name.item),
                )
                .help = Some("match the attribute by its name in braces".to_owned());
                if let ExprKind::Capture(capture) = &expr.kind {
                    self.bind_anyway([capture]);
                }
                return None;
            }
        };
        let test = self.attribute_test(facts, &name, false, Some(expr));
        Some(AttributePattern { name, test, span: expr.span })
    }

    fn operand(&mut self, capture: &Capture) -> OperandPattern {
        match self.lookup(capture) {
            Some((Term::Binding(binding), _)) => match self.results.get(&binding) {
                Some((operation, result)) => {
                    OperandPattern::ResultOf { operation: *operation, result: *result }
                }
                None => OperandPattern::Bind(binding),
            },
            Some(_) => OperandPattern::Any,
            None => OperandPattern::Bind(self.bind(capture, Some(Kind::Value))),
        }
    }
}

/// Where an operand stands that is a value.
fn operand_span(operand: &Operand) -> Option<Span> {
    match operand {
        Operand::Value(capture) => Some(capture.name.span),
        Operand::Nested(operation) => Some(operation.span),
        Operand::Any(span) | Operand::Rest(_, span) => Some(*span),
        Operand::Symbol(_) => None,
    }
}
