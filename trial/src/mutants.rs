//! Which mutants a pack's rules have: clauses dropped, constants changed, operands swapped, rules deleted.

use relo_engine::Pack;
use relo_grammar::span::{Source, Span};
use relo_grammar::tree::{
    Attribute, BinaryOp, Clause, Expr, ExprKind, Item, Match, MatchItem, Operand, Operation, Outcome,
    Rewrite, Statement, Where,
};

use crate::gather::rule_path;
use crate::mutate::Mutant;

/// All mutants of a pack's rules and fragments, in the order of its files.
pub(crate) fn of_pack(pack: &Pack) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for (source, file) in &pack.files {
        items(&pack.name, source, &file.items, None, &mut mutants);
    }
    mutants
}

fn items(pack: &str, source: &Source, all: &[Item], strategy: Option<&str>, mutants: &mut Vec<Mutant>) {
    for item in all {
        match item {
            Item::Rule(rule) => {
                let path = rule_path(pack, strategy, &rule.name.item);
                let mut maker = Maker { pack, rule: path, source, mutants };
                maker.rule(&rule.matches, rule.wheres.as_ref(), &rule.outcome);
            }
            Item::Override(item) => {
                let names: Vec<&str> = item.target.item.iter().map(|name| name.item.as_str()).collect();
                let mut maker = Maker { pack, rule: names.join("."), source, mutants };
                maker.rule(&item.matches, item.wheres.as_ref(), &item.outcome);
            }
            Item::Fragment(fragment) => {
                let rule = rule_path(pack, None, &fragment.name.item);
                let mut maker = Maker { pack, rule, source, mutants };
                fragment.matches.iter().for_each(|matches| maker.matches(matches));
                fragment.wheres.iter().for_each(|wheres| maker.wheres(wheres));
                fragment.rewrite.iter().for_each(|rewrite| maker.rewrite(rewrite));
            }
            Item::Strategy(inner) => items(pack, source, &inner.items, Some(&inner.name.item), mutants),
            Item::Family(family) => items(pack, source, &family.items, strategy, mutants),
            _ => {}
        }
    }
}

struct Maker<'a> {
    pack: &'a str,
    rule: String,
    source: &'a Source,
    mutants: &'a mut Vec<Mutant>,
}

impl Maker<'_> {
    fn rule(&mut self, matches: &Match, wheres: Option<&Where>, outcome: &Outcome) {
        let what = "the rule never fires";
        match wheres {
            Some(wheres) => {
                let end = wheres.span.end - 1;
                self.push(Span::new(end, end), "\n1 == 2\n", what);
            }
            None => {
                let end = matches.span.end;
                self.push(Span::new(end, end), "\nwhere { 1 == 2 }\n", what);
            }
        }
        self.matches(matches);
        if let Some(wheres) = wheres {
            self.wheres(wheres);
        }
        if let Outcome::Rewrite(rewrite) = outcome {
            self.rewrite(rewrite);
        }
    }

    fn matches(&mut self, matches: &Match) {
        for item in &matches.patterns {
            match item {
                MatchItem::Operation(operation) => self.pattern(operation),
                MatchItem::Fragment(call) => self.arguments(&call.arguments),
            }
        }
    }

    fn pattern(&mut self, operation: &Operation) {
        self.swap_operands(operation);
        for operand in operation.operands.iter().flatten() {
            if let Operand::Nested(inner) = operand {
                self.pattern(inner);
            }
        }
        for attribute in &operation.attributes {
            match attribute {
                Attribute::Is { name, value: None, .. } => {
                    self.push(name.span, &format!("{}? = _", name.item), "any value will do");
                }
                Attribute::Is { value: Some(value), .. } => {
                    if !matches!(value.kind, ExprKind::Capture(_) | ExprKind::Any) {
                        self.push(value.span, "_", "any value will do");
                    }
                    self.constants(value);
                }
                Attribute::Absent(name) => {
                    let start = self.source.text[..name.span.start].rfind('!').unwrap_or(name.span.start);
                    let what = "it may be there";
                    self.push(Span::new(start, name.span.end), &format!("{}? = _", name.item), what);
                }
                Attribute::Rest(..) => {}
            }
        }
        for ty in &operation.types {
            if !matches!(ty.kind, ExprKind::Capture(_) | ExprKind::Any) {
                self.push(ty.span, "_", "any type will do");
            }
        }
    }

    fn wheres(&mut self, wheres: &Where) {
        for clause in &wheres.clauses {
            match clause {
                Clause::Bind { value, .. } => self.constants(value),
                Clause::Test(condition) => self.condition(condition, true),
            }
        }
    }

    /// `weaken` where the condition is one of several that must hold, otherwise one of several that may.
    fn condition(&mut self, condition: &Expr, weaken: bool) {
        let text = self.text(condition.span).to_owned();
        match weaken {
            true => self.push(condition.span, &format!("(({text}) or 1 == 1)"), "the clause always holds"),
            false => {
                self.push(condition.span, &format!("(({text}) and 1 == 2)"), "the alternative never holds")
            }
        }
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, left, right) => {
                self.condition(left, true);
                self.condition(right, true);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                self.condition(left, false);
                self.condition(right, false);
            }
            ExprKind::Not(inner) => {
                let inner = self.text(inner.span).to_owned();
                self.push(condition.span, &inner, "`not` is dropped");
            }
            _ => {}
        }
        self.constants(condition);
    }

    fn rewrite(&mut self, rewrite: &Rewrite) {
        for statement in &rewrite.statements {
            match statement {
                Statement::Build(operation) => self.built(operation),
                Statement::Call { call, .. } => self.arguments(&call.arguments),
                Statement::Site { offset, referent, .. } => {
                    self.constants(offset);
                    self.constants(referent);
                }
                Statement::Replace(..) | Statement::Erase(..) => {}
            }
        }
    }

    fn built(&mut self, operation: &Operation) {
        self.swap_operands(operation);
        for operand in operation.operands.iter().flatten() {
            if let Operand::Symbol(expr) = operand {
                self.constants(expr);
            }
        }
        if let Some(initializer) = &operation.initializer {
            self.constants(initializer);
        }
        for attribute in &operation.attributes {
            let span = match attribute {
                Attribute::Is { name, value, .. } => {
                    if let Some(value) = value {
                        self.constants(value);
                    }
                    value.as_ref().map_or(name.span, |value| name.span.to(value.span))
                }
                Attribute::Absent(name) => {
                    let start = self.source.text[..name.span.start].rfind('!').unwrap_or(name.span.start);
                    Span::new(start, name.span.end)
                }
                Attribute::Rest(_, span) => *span,
            };
            let what = format!("`{}` is dropped", self.text(span));
            let with_comma = self.with_comma(span);
            self.push(with_comma, "", &what);
        }
    }

    /// A list's member with one comma beside it.
    fn with_comma(&self, span: Span) -> Span {
        let text = &self.source.text;
        let after = &text[span.end..];
        let rest = after.trim_start();
        if rest.starts_with(',') {
            return Span::new(span.start, span.end + (after.len() - rest.len()) + 1);
        }
        let before = text[..span.start].trim_end();
        if before.ends_with(',') { Span::new(before.len() - 1, span.end) } else { span }
    }

    fn swap_operands(&mut self, operation: &Operation) {
        let spans: Vec<Span> = operation.operands.iter().flatten().filter_map(operand_span).collect();
        self.swap(&spans);
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        let spans: Vec<Span> = arguments.iter().map(|argument| argument.span).collect();
        self.swap(&spans);
        arguments.iter().for_each(|argument| self.constants(argument));
    }

    /// Swaps neighbours.
    fn swap(&mut self, spans: &[Span]) {
        for pair in spans.windows(2) {
            let (left, right) = (self.text(pair[0]), self.text(pair[1]));
            if left != right {
                let between = self.text(Span::new(pair[0].end, pair[1].start));
                let replacement = format!("{right}{between}{left}");
                let what = format!("`{left}` and `{right}` are swapped");
                self.push(pair[0].to(pair[1]), &replacement, &what);
            }
        }
    }

    fn constants(&mut self, expr: &Expr) {
        let what = "the constant is another";
        match &expr.kind {
            ExprKind::Int(number) => self.push(expr.span, &(number + 1).to_string(), what),
            ExprKind::Bool(value) => self.push(expr.span, &(!value).to_string(), what),
            ExprKind::Str(text) => {
                let quoted = self.text(expr.span);
                let changed = if text.is_empty() { "\"_\"".into() } else { format!("\"_{}", &quoted[1..]) };
                self.push(expr.span, &changed, what);
            }
            ExprKind::Regex(_) => {
                let regex = self.text(expr.span);
                let changed = format!("/_{}", &regex[1..]);
                self.push(expr.span, &changed, what);
            }
            ExprKind::Call(call) => self.arguments(&call.arguments),
            ExprKind::AttributeOf { arguments, .. } => self.arguments(arguments),
            ExprKind::List(members) => members.iter().for_each(|member| self.constants(member)),
            ExprKind::Not(inner) => self.constants(inner),
            ExprKind::Binary(op, left, right) => {
                self.operator(*op, left, right);
                self.constants(left);
                self.constants(right);
            }
            _ => {}
        }
    }

    fn operator(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let other = match op {
            BinaryOp::Equal => "!=",
            BinaryOp::NotEqual => "==",
            BinaryOp::Less => "<=",
            BinaryOp::LessEqual => "<",
            BinaryOp::Greater => ">=",
            BinaryOp::GreaterEqual => ">",
            BinaryOp::StartsWith => "ends_with",
            BinaryOp::EndsWith => "starts_with",
            BinaryOp::Add => "-",
            BinaryOp::Subtract => "+",
            _ => return,
        };
        let span = left.span.to(right.span);
        let text = format!("{} {other} {}", self.text(left.span), self.text(right.span));
        self.push(span, &text, &format!("the operator is `{other}`"));
    }

    fn text(&self, span: Span) -> &str {
        &self.source.text[span.range()]
    }

    fn push(&mut self, span: Span, replacement: &str, what: &str) {
        self.mutants.push(Mutant {
            pack: self.pack.to_owned(),
            rule: self.rule.clone(),
            what: what.to_owned(),
            source: self.source.clone(),
            span,
            replacement: replacement.to_owned(),
        });
    }
}

/// Where an operand stands, if it can trade places: `..` can't.
fn operand_span(operand: &Operand) -> Option<Span> {
    match operand {
        Operand::Value(capture) => Some(capture.name.span),
        Operand::Any(span) => Some(*span),
        Operand::Nested(operation) => Some(operation.span),
        Operand::Rest(..) | Operand::Symbol(_) => None,
    }
}
