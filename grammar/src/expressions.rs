//! From the parser's pairs to the tree: expressions.

use crate::build::Builder;
use crate::error::SyntaxError;
use crate::parser::{Pair, Rule, inner_of};
use crate::precedence::{Part, put_together};
use crate::span::{Span, Spanned};
use crate::tree::{BinaryOp, Call, Capture, Expr, ExprKind, Sigil};

impl Builder {
    pub(crate) fn capture(&self, pair: &Pair) -> Capture {
        let (sigil, name) = pair.as_str().split_at(1);
        let sigil = match sigil {
            "%" => Sigil::Value,
            "@" => Sigil::Symbol,
            _ => Sigil::Data,
        };
        Capture { sigil, name: Spanned::new(name.to_owned(), self.span(pair)) }
    }

    /// An expression, or one operand of one.
    pub(crate) fn expr(&mut self, pair: Pair) -> Expr {
        if pair.as_rule() == Rule::primary {
            return self.primary(pair);
        }
        let whole = self.span(&pair);
        let mut parts = Vec::new();
        for pair in inner_of(pair) {
            let span = self.span(&pair);
            match pair.as_rule() {
                Rule::negation => parts.push(Part::Not(span)),
                Rule::primary => {
                    let operand = self.primary(pair);
                    parts.push(Part::Operand(operand, self.depth));
                }
                rule => parts.extend(operator(rule).map(|op| Part::Operator(op, span))),
            }
        }
        match put_together(parts, &mut self.errors) {
            Some((expr, depth)) => {
                self.depth = depth;
                expr
            }
            None => Expr { kind: ExprKind::Any, span: whole },
        }
    }

    /// Several expressions one level down.
    pub(crate) fn exprs<'p>(&mut self, pairs: impl Iterator<Item = Pair<'p>>) -> Vec<Expr> {
        let mut deepest = 0;
        let mut exprs = Vec::new();
        for pair in pairs {
            exprs.push(self.expr(pair));
            deepest = deepest.max(self.depth);
        }
        self.depth = deepest + 1;
        exprs
    }

    pub(crate) fn primary(&mut self, pair: Pair) -> Expr {
        let span = self.span(&pair);
        self.depth = 1;
        let Some(pair) = inner_of(pair).next() else {
            return Expr { kind: ExprKind::Any, span };
        };
        let text = pair.as_str();
        let kind = match pair.as_rule() {
            Rule::boolean => ExprKind::Bool(text == "true"),
            Rule::integer => ExprKind::Int(self.integer(text, span)),
            Rule::string => ExprKind::Str(self.string(&pair).item),
            Rule::regex => ExprKind::Regex(regex(text)),
            Rule::mlir_type => ExprKind::Type(text.to_owned()),
            Rule::word => ExprKind::Word(text.to_owned()),
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
            Rule::list => ExprKind::List(self.exprs(inner_of(pair))),
            Rule::group => match inner_of(pair).next() {
                Some(inner) => return self.expr(inner),
                None => ExprKind::Any,
            },
            Rule::attribute_of => {
                let mut inner = inner_of(pair);
                match inner.next() {
                    Some(name) => {
                        ExprKind::AttributeOf { name: self.name(&name), arguments: self.exprs(inner) }
                    }
                    None => ExprKind::Any,
                }
            }
            _ => ExprKind::Any,
        };
        Expr { kind, span }
    }

    pub(crate) fn call(&mut self, pair: Pair) -> Call {
        let span = self.span(&pair);
        let mut inner = inner_of(pair);
        let name = match inner.next() {
            Some(callee) => self.name(&callee),
            None => Spanned::new(String::new(), span),
        };
        Call { name, arguments: self.exprs(inner), span }
    }

    fn integer(&mut self, text: &str, span: Span) -> i128 {
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let parsed = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let number = parsed.ok().map(|number| if negative { -number } else { number });
        let word = i128::from(i64::MIN)..=i128::from(u64::MAX);
        if let Some(number) = number.filter(|number| word.contains(number)) {
            return number;
        }
        self.errors.push(
            SyntaxError::new("relo::syntax::number", span, "this number does not fit into a word")
                .label("more than 64 bits")
                .help("numbers go from -0x8000000000000000 to 0xffffffffffffffff"),
        );
        0
    }
}

/// What stands between the slashes; only the slash itself needs no escape once it is out of them.
fn regex(text: &str) -> String {
    let mut result = String::new();
    let mut chars = text[1..text.len() - 1].chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        match chars.next() {
            Some('/') => result.push('/'),
            Some(escaped) => result.extend(['\\', escaped]),
            None => result.push('\\'),
        }
    }
    result
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
