//! From the parser's pairs to the tree: the lines of a rule's blocks.

use crate::error::SyntaxError;
use crate::parser::{Pair, Rule, inner_of};
use crate::span::{Name, Span, Spanned};
use crate::tree::{
    Attribute, Call, Capture, Clause, Expr, ExprKind, MatchItem, Operand, Operation, Path, Sigil, Statement,
};

/// Builds the tree of one piece of text.
#[derive(Default)]
pub(crate) struct Builder {
    /// Where the piece begins.
    pub(crate) base: usize,
    /// What is wrong with it.
    pub(crate) errors: Vec<SyntaxError>,
    /// How deep the last expression is.
    pub(crate) depth: usize,
}

impl Builder {
    pub(crate) fn new(base: usize) -> Self {
        Self { base, ..Self::default() }
    }

    pub(crate) fn span(&self, pair: &Pair) -> Span {
        let span = pair.as_span();
        // A rule that ends in optional parts takes the blanks before them along.
        let end = span.start() + pair.as_str().trim_end().len();
        Span::new(self.base + span.start(), self.base + end)
    }

    pub(crate) fn name(&self, pair: &Pair) -> Name {
        Spanned::new(pair.as_str().to_owned(), self.span(pair))
    }

    pub(crate) fn path(&self, pair: Pair) -> Path {
        let span = self.span(&pair);
        Spanned::new(inner_of(pair).map(|pair| self.name(&pair)).collect(), span)
    }

    pub(crate) fn match_item(&mut self, line: Pair) -> Option<MatchItem> {
        let pair = inner_of(line).next()?;
        Some(match pair.as_rule() {
            Rule::call => MatchItem::Fragment(self.call(pair)),
            _ => MatchItem::Operation(self.operation(pair)),
        })
    }

    pub(crate) fn clause(&mut self, line: Pair) -> Option<Clause> {
        let pair = inner_of(line).next()?;
        if pair.as_rule() != Rule::bind {
            return Some(Clause::Test(self.expr(pair)));
        }
        let span = self.span(&pair);
        let mut captures = Vec::new();
        let mut value = None;
        for inner in inner_of(pair) {
            match inner.as_rule() {
                Rule::capture => captures.push(self.capture(&inner)),
                Rule::wild => captures.push(Capture { sigil: Sigil::Data, name: self.name(&inner) }),
                _ => value = Some(self.expr(inner)),
            }
        }
        Some(Clause::Bind { captures, value: value?, span })
    }

    pub(crate) fn statement(&mut self, line: Pair) -> Option<Statement> {
        let pair = inner_of(line).next()?;
        let span = self.span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::operation {
            return Some(Statement::Build(self.operation(pair)));
        }
        let mut inner = inner_of(pair).filter(|pair| pair.as_rule() != Rule::add);
        Some(match rule {
            Rule::site => {
                let mut parts = self.exprs(inner).into_iter();
                let (global, second, third) = (parts.next()?, parts.next()?, parts.next());
                let (offset, referent) = match third {
                    Some(referent) => (second, referent),
                    None => (Expr { kind: ExprKind::Int(0), span: global.span }, second),
                };
                Statement::Site { global, offset, referent, span }
            }
            Rule::erase => Statement::Erase(inner.next().map(|pair| self.primary(pair)), span),
            Rule::replace => {
                let (old, new) = (inner.next()?, inner.next()?);
                Statement::Replace(self.capture(&old), self.capture(&new), span)
            }
            _ => self.build_call(inner)?,
        })
    }

    fn build_call<'p>(&mut self, pairs: impl Iterator<Item = Pair<'p>>) -> Option<Statement> {
        let mut results = Vec::new();
        let mut call = None;
        let mut types = Vec::new();
        for pair in pairs {
            match pair.as_rule() {
                Rule::results => results = self.results(pair),
                Rule::call => call = Some(self.call(pair)),
                Rule::bare_call => {
                    let span = self.span(&pair);
                    let mut inner = inner_of(pair);
                    let name = self.name(&inner.next()?);
                    call = Some(Call { name, arguments: self.exprs(inner), span });
                }
                _ => types = self.exprs(inner_of(pair)),
            }
        }
        Some(Statement::Call { results, call: call?, types })
    }

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
        let mut types_span = None;
        for pair in inner_of(pair) {
            let place = self.span(&pair);
            let before = match pair.as_rule() {
                Rule::results => {
                    operation.results = self.results(pair);
                    None
                }
                Rule::operation_name => {
                    operation.name = self.name(&pair);
                    None
                }
                Rule::operands => {
                    operation.operands = Some(self.operands(pair));
                    None
                }
                Rule::types => {
                    operation.types = self.exprs(inner_of(pair));
                    types_span.replace(place)
                }
                Rule::initializer => {
                    let value = inner_of(pair).next().map(|pair| self.primary(pair));
                    std::mem::replace(&mut operation.initializer, value).map(|before| before.span)
                }
                _ => {
                    operation.attributes = inner_of(pair).filter_map(|pair| self.attribute(pair)).collect();
                    operation.attributes_span.replace(place)
                }
            };
            if let Some(before) = before {
                self.errors.push(
                    SyntaxError::new("relo::syntax::twice", place, "an operation has this only once")
                        .label("the second one")
                        .also(before, "the first one")
                        .help("put both into one"),
                );
            }
        }
        operation
    }

    pub(crate) fn capture_expr(&self, pair: &Pair) -> Expr {
        Expr { kind: ExprKind::Capture(self.capture(pair)), span: self.span(pair) }
    }

    fn results(&mut self, pair: Pair) -> Vec<Capture> {
        inner_of(pair)
            .map(|pair| match pair.as_rule() {
                Rule::wild => Capture { sigil: Sigil::Value, name: self.name(&pair) },
                _ => self.capture(&pair),
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
                    Rule::symbol => Operand::Symbol(self.capture_expr(&pair)),
                    _ => Operand::Value(self.capture(&pair)),
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
}
