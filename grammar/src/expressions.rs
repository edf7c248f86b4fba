//! From the parser's pairs to the tree: operations and expressions.

use crate::build::Builder;
use crate::error::SyntaxError;
use crate::parser::{Pair, Rule, inner_of, pairs};
use crate::span::{Span, Spanned};
use crate::tree::{
    Attribute, BinaryOp, Call, Capture, Expr, ExprKind, Operand, Operation, Sigil, Text, TextPart,
};

impl Builder<'_> {
    pub(crate) fn operation(&mut self, pair: Pair) -> Operation {
        let span = self.span(&pair);
        let mut operation = Operation {
            results: Vec::new(),
            name: Spanned::new(String::new(), span),
            operands: None,
            initializer: None,
            attributes: Vec::new(),
            attributes_span: None,
            types: Vec::new(),
            span,
        };
        for pair in inner_of(pair) {
            let place = self.span(&pair);
            let twice = match pair.as_rule() {
                Rule::results => {
                    operation.results = self.results(pair);
                    false
                }
                Rule::head => {
                    for part in inner_of(pair) {
                        match part.as_rule() {
                            Rule::operation_name => operation.name = self.name(&part),
                            _ => operation.operands = Some(self.operands(part)),
                        }
                    }
                    false
                }
                Rule::types => {
                    let types = inner_of(pair).map(|pair| self.primary(pair)).collect();
                    !std::mem::replace(&mut operation.types, types).is_empty()
                }
                Rule::initializer => {
                    let value = inner_of(pair).next().map(|pair| self.primary(pair));
                    std::mem::replace(&mut operation.initializer, value).is_some()
                }
                Rule::attributes => {
                    operation.attributes = inner_of(pair).filter_map(|pair| self.attribute(pair)).collect();
                    operation.attributes_span.replace(place).is_some()
                }
                _ => false,
            };
            if twice {
                self.errors.push(
                    SyntaxError::new("relo::syntax::twice", place, "an operation has this once")
                        .help("put both into one"),
                );
            }
        }
        operation
    }

    pub(crate) fn results(&mut self, pair: Pair) -> Vec<Capture> {
        inner_of(pair)
            .filter_map(|pair| match pair.as_rule() {
                Rule::wild => Some(Capture { sigil: Sigil::Value, name: self.name(&pair) }),
                _ => inner_of(pair).next().map(|pair| self.capture(&pair)),
            })
            .collect()
    }

    fn operands(&mut self, pair: Pair) -> Vec<Operand> {
        inner_of(pair)
            .filter(|pair| pair.as_rule() == Rule::operand)
            .filter_map(|pair| inner_of(pair).next())
            .filter_map(|pair| {
                let span = self.span(&pair);
                Some(match pair.as_rule() {
                    Rule::rest => Operand::Rest(inner_of(pair).next().map(|pair| self.capture(&pair)), span),
                    Rule::wild => Operand::Any(span),
                    Rule::nested => Operand::Nested(Box::new(self.operation(inner_of(pair).next()?))),
                    Rule::call => {
                        let call = self.call(pair);
                        Operand::Symbol(Expr { kind: ExprKind::Call(call), span })
                    }
                    Rule::symbol => Operand::Symbol(self.capture_expr(&inner_of(pair).next()?)),
                    _ => Operand::Value(self.capture(&inner_of(pair).next()?)),
                })
            })
            .collect()
    }

    fn attribute(&mut self, pair: Pair) -> Option<Attribute> {
        let pair = inner_of(pair).next()?;
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut inner = inner_of(pair);
        Some(match rule {
            Rule::rest => Attribute::Rest(inner.next().map(|pair| self.capture(&pair)), span),
            Rule::absent => Attribute::Absent(self.name(&inner.next()?)),
            _ => {
                let name = self.name(&inner.next()?);
                let mut optional = false;
                let mut value = None;
                for pair in inner {
                    if pair.as_rule() == Rule::optional {
                        optional = true;
                    } else {
                        value = Some(self.expr(pair));
                    }
                }
                Attribute::Is { name, optional, value }
            }
        })
    }

    pub(crate) fn capture(&self, pair: &Pair) -> Capture {
        let (sigil, name) = pair.as_str().split_at(1);
        let sigil = match sigil {
            "%" => Sigil::Value,
            "@" => Sigil::Symbol,
            _ => Sigil::Data,
        };
        Capture { sigil, name: Spanned::new(name.to_owned(), self.span(pair)) }
    }

    pub(crate) fn capture_expr(&self, pair: &Pair) -> Expr {
        Expr { kind: ExprKind::Capture(self.capture(pair)), span: self.span(pair) }
    }

    pub(crate) fn primary_or_expr(&mut self, pair: Pair) -> Expr {
        if pair.as_rule() == Rule::primary { self.primary(pair) } else { self.expr(pair) }
    }

    /// An expression, or a sum between angle brackets: operands and operators in turn.
    pub(crate) fn expr(&mut self, pair: Pair) -> Expr {
        let mut operands: Vec<Expr> = Vec::new();
        let mut operators: Vec<(BinaryOp, Span)> = Vec::new();
        let mut negations: Vec<Span> = Vec::new();
        // `not` binds looser than comparisons: it waits until what it negates is complete.
        let mut negated = Vec::new();
        let whole = self.span(&pair);
        for pair in inner_of(pair) {
            let span = self.span(&pair);
            match pair.as_rule() {
                Rule::negation => negations.push(span),
                Rule::primary => {
                    let operand = self.primary(pair);
                    operands.push(operand);
                    if !negations.is_empty() {
                        negated.push((operands.len() - 1, std::mem::take(&mut negations)));
                    }
                }
                rule => operators.extend(operator(rule).map(|op| (op, span))),
            }
        }
        let mut climber = Climber { operands, operators, negated, at: 0, errors: &mut self.errors };
        climber.climb(0).unwrap_or(Expr { kind: ExprKind::Any, span: whole })
    }

    pub(crate) fn primary(&mut self, pair: Pair) -> Expr {
        let span = self.span(&pair);
        let Some(pair) = inner_of(pair).next() else {
            return Expr { kind: ExprKind::Any, span };
        };
        let text = pair.as_str();
        let kind = match pair.as_rule() {
            Rule::wild => ExprKind::Any,
            Rule::boolean => ExprKind::Bool(text == "true"),
            Rule::integer => ExprKind::Int(self.integer(text, span)),
            Rule::string => ExprKind::Str(self.string(&pair).item),
            Rule::regex => ExprKind::Regex(text[1..text.len() - 1].replace("\\/", "/")),
            Rule::mlir_type => ExprKind::Type(text.to_owned()),
            Rule::word => ExprKind::Word(text.trim_end().to_owned()),
            Rule::capture => ExprKind::Capture(self.capture(&pair)),
            Rule::parameter => match inner_of(pair).next() {
                Some(name) => ExprKind::Param(self.name(&name)),
                None => ExprKind::Any,
            },
            Rule::target => match inner_of(pair).next() {
                Some(name) => ExprKind::Target(self.name(&name)),
                None => ExprKind::Any,
            },
            Rule::call => ExprKind::Call(self.call(pair)),
            Rule::list => ExprKind::List(inner_of(pair).map(|pair| self.expr(pair)).collect()),
            Rule::group => match inner_of(pair).next() {
                Some(inner) => return self.expr(inner),
                None => ExprKind::Any,
            },
            Rule::attribute_of => {
                let mut inner = inner_of(pair);
                match inner.next() {
                    Some(name) => ExprKind::AttributeOf {
                        name: self.name(&name),
                        arguments: inner.map(|pair| self.expr(pair)).collect(),
                    },
                    None => ExprKind::Any,
                }
            }
            _ => ExprKind::Any,
        };
        Expr { kind, span }
    }

    pub(crate) fn call(&mut self, pair: Pair) -> Call {
        let span = self.span(&pair);
        let mut name = Spanned::new(String::new(), span);
        let mut arguments = Vec::new();
        for pair in inner_of(pair) {
            match pair.as_rule() {
                Rule::callee => name = self.name(&pair),
                _ => arguments.push(self.expr(pair)),
            }
        }
        Call { name, arguments, span }
    }

    /// `cast %i`: a builder whose arguments stand as operands do.
    pub(crate) fn bare_call(&mut self, pair: Pair) -> Option<Call> {
        let span = self.span(&pair);
        let mut inner = inner_of(pair);
        let name = self.name(&inner.next()?);
        let arguments = inner.next()?.into_inner().map(|pair| self.primary(pair)).collect();
        Some(Call { name, arguments, span })
    }

    fn integer(&mut self, text: &str, span: Span) -> i128 {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let parsed = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let number = parsed.ok().filter(|number| *number <= i128::from(u64::MAX));
        if number.is_none() {
            self.errors.push(
                SyntaxError::new("relo::syntax::number", span, "this number does not fit into a word")
                    .help("words have at most 64 bits"),
            );
        }
        number.map_or(0, |number| if negative { -number } else { number })
    }

    /// The text between the quotes, escapes resolved.
    pub(crate) fn string(&mut self, pair: &Pair) -> Spanned<String> {
        let span = self.span(pair);
        let text = pair.as_str();
        let text = &text[1..text.len() - 1];
        Spanned::new(self.unescaped(text, span.start + 1), span)
    }

    fn unescaped(&mut self, text: &str, start: usize) -> String {
        let mut result = String::new();
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            if c != '\\' {
                result.push(c);
                continue;
            }
            match chars.next() {
                Some((_, 'n')) => result.push('\n'),
                Some((_, 't')) => result.push('\t'),
                Some((_, c @ ('"' | '\\' | '{' | '}'))) => result.push(c),
                other => {
                    let length = 1 + other.map_or(0, |(_, c)| c.len_utf8());
                    self.errors.push(
                        SyntaxError::new(
                            "relo::syntax::escape",
                            Span::new(start + at, start + at + length),
                            "there is no such escape",
                        )
                        .help(r#"escapes are \" \\ \n \t \{ \}"#),
                    );
                }
            }
        }
        result
    }

    /// A message: text with expressions in braces.
    pub(crate) fn text_with_holes(&mut self, pair: &Pair) -> Spanned<Text> {
        let span = self.span(pair);
        let raw = pair.as_str();
        let raw = &raw[1..raw.len() - 1];
        let start = span.start + 1;
        let mut parts = Vec::new();
        let mut literal = 0;
        let mut at = 0;
        while at < raw.len() {
            let rest = &raw[at..];
            if rest.starts_with('\\') {
                at += rest.chars().take(2).map(char::len_utf8).sum::<usize>();
            } else if rest.starts_with('{') {
                if at > literal {
                    parts.push(TextPart::Literal(self.unescaped(&raw[literal..at], start + literal)));
                }
                let Some(length) = rest.find('}') else {
                    self.errors.push(
                        SyntaxError::new(
                            "relo::syntax::hole",
                            Span::new(start + at, start + at + 1),
                            "this hole is never closed",
                        )
                        .help(r"close it with `}`, or write `\{` for a brace"),
                    );
                    literal = raw.len();
                    break;
                };
                let hole = Span::new(start + at + 1, start + at + length);
                match pairs(Rule::hole, self.text, hole) {
                    Ok(found) => {
                        let base = std::mem::replace(&mut self.base, hole.start);
                        let expr = found.into_iter().next().map(|pair| self.expr(pair));
                        self.base = base;
                        parts.extend(expr.map(TextPart::Hole));
                    }
                    Err(error) => self.errors.push(error),
                }
                at += length + 1;
                literal = at;
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
        if literal < raw.len() {
            parts.push(TextPart::Literal(self.unescaped(&raw[literal..], start + literal)));
        }
        Spanned::new(Text { parts }, span)
    }
}

fn operator(rule: Rule) -> Option<BinaryOp> {
    Some(match rule {
        Rule::or => BinaryOp::Or,
        Rule::and => BinaryOp::And,
        Rule::equal => BinaryOp::Equal,
        Rule::not_equal => BinaryOp::NotEqual,
        Rule::less => BinaryOp::Less,
        Rule::less_equal => BinaryOp::LessEqual,
        Rule::greater => BinaryOp::Greater,
        Rule::greater_equal => BinaryOp::GreaterEqual,
        Rule::in_list => BinaryOp::In,
        Rule::starts_with => BinaryOp::StartsWith,
        Rule::ends_with => BinaryOp::EndsWith,
        Rule::contains => BinaryOp::Contains,
        Rule::matches => BinaryOp::Matches,
        Rule::add => BinaryOp::Add,
        Rule::subtract => BinaryOp::Subtract,
        _ => return None,
    })
}

/// How tightly an operator binds: `or` < `and` < `not` < comparisons < sums.
fn strength(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Add | BinaryOp::Subtract => 5,
        _ => 4,
    }
}

/// Precedence climbing over operands and operators in turn.
struct Climber<'e> {
    operands: Vec<Expr>,
    operators: Vec<(BinaryOp, Span)>,
    /// Operands with `not` in front of them.
    negated: Vec<(usize, Vec<Span>)>,
    at: usize,
    errors: &'e mut Vec<SyntaxError>,
}

impl Climber<'_> {
    fn climb(&mut self, least: u8) -> Option<Expr> {
        let index = self.at;
        let negations =
            self.negated.iter().find(|(operand, _)| *operand == index).map(|(_, spans)| spans.clone());
        let mut left = match negations {
            Some(spans) => {
                self.negated.retain(|(operand, _)| *operand != index);
                let mut inner = self.climb(3)?;
                for span in spans.into_iter().rev() {
                    let whole = span.to(inner.span);
                    inner = Expr { kind: ExprKind::Not(Box::new(inner)), span: whole };
                }
                inner
            }
            None => self.operands.get(index)?.clone(),
        };
        while let Some((op, span)) = self.operators.get(self.at).copied() {
            let power = strength(op);
            if power < least {
                break;
            }
            if power == 4 && matches!(&left.kind, ExprKind::Binary(before, ..) if strength(*before) == 4) {
                self.errors.push(
                    SyntaxError::new("relo::syntax::chain", span, "comparisons don't chain")
                        .help("write two, joined by `and`"),
                );
            }
            self.at += 1;
            let right = self.climb(power + 1)?;
            let whole = left.span.to(right.span);
            left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span: whole };
        }
        Some(left)
    }
}
