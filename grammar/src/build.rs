//! From the parser's pairs to the tree: items and the blocks of a rule.

use crate::error::SyntaxError;
use crate::parser::{Pair, Rule, inner_of};
use crate::span::{Name, Span, Spanned};
use crate::tree::{
    Capture, Clause, Expectation, Expr, Fact, Fragment, Item, Match, MatchItem, Outcome, Override, Param,
    Path, Prefer, Rewrite, Rule as RuleTree, Sigil, Statement, Strategy, Test, Where,
};

/// Builds the tree of one piece of text; places count from `base`.
pub(crate) struct Builder<'a> {
    pub(crate) text: &'a str,
    pub(crate) base: usize,
    pub(crate) errors: Vec<SyntaxError>,
}

/// The blocks of a rule, fragment or override, as they come.
#[derive(Default)]
struct Blocks {
    matches: Option<Match>,
    wheres: Option<Where>,
    rewrite: Option<Rewrite>,
    reject: Option<Spanned<crate::tree::Text>>,
    attributes: Option<Name>,
    tests: Vec<Test>,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(text: &'a str, base: usize) -> Self {
        Self { text, base, errors: Vec::new() }
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

    /// An item; `None` for the end of input, and for one without what it needs, which is reported.
    pub(crate) fn item(&mut self, pair: Pair) -> Option<Item> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut inner = inner_of(pair).peekable();
        let mut doc = Vec::new();
        while let Some(line) = inner.next_if(|next| next.as_rule() == Rule::doc) {
            let text = line.as_str().trim_start_matches("///");
            doc.push(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned());
        }
        Some(match rule {
            Rule::pack => Item::Pack(self.name(&inner.next()?)),
            Rule::phase => Item::Phase(self.name(&inner.next()?)),
            Rule::use_pack => Item::Use(self.name(&inner.next()?)),
            Rule::param => Item::Param(Param {
                doc,
                name: self.name(&inner.next()?),
                kind: self.name(&inner.next()?),
                default: inner.next().map(|pair| self.expr(pair)),
            }),
            Rule::disjoint => {
                Item::Fact(Fact::Disjoint(self.name(&inner.next()?), self.name(&inner.next()?)))
            }
            Rule::implies => Item::Fact(Fact::Implies(self.name(&inner.next()?), self.name(&inner.next()?))),
            Rule::prefer => Item::Prefer(Prefer {
                winner: self.path(inner.next()?),
                loser: self.path(inner.next()?),
                because: self.string(&inner.next()?),
                span,
            }),
            Rule::fragment => {
                let name = self.name(&inner.next()?);
                let mut parameters = Vec::new();
                while let Some(pair) = inner.next_if(|next| next.as_rule() == Rule::capture) {
                    parameters.push(self.capture(&pair));
                }
                let blocks = self.blocks(inner);
                if blocks.matches.is_none() && blocks.rewrite.is_none() {
                    self.missing(
                        &name,
                        "fragment",
                        "neither `match` nor `rewrite`",
                        "it stands for a piece of one",
                    );
                }
                Item::Fragment(Fragment {
                    doc,
                    name,
                    parameters,
                    matches: blocks.matches,
                    wheres: blocks.wheres,
                    rewrite: blocks.rewrite,
                })
            }
            Rule::rule_item => {
                let name = self.name(&inner.next()?);
                let blocks = self.blocks(inner);
                let attributes = blocks.attributes.clone();
                let (matches, wheres, outcome, tests) = self.complete(&name, "rule", blocks)?;
                Item::Rule(RuleTree { doc, name, matches, wheres, outcome, attributes, tests, span })
            }
            Rule::override_rule => {
                let target = self.path(inner.next()?);
                let because = self.string(&inner.next()?);
                let name = target.item.last()?.clone();
                let blocks = self.blocks(inner);
                let (matches, wheres, outcome, tests) = self.complete(&name, "override", blocks)?;
                Item::Override(Override { doc, target, because, matches, wheres, outcome, tests, span })
            }
            // Lines of a strategy: gathered by its parser from a strategy without a name.
            Rule::loader | Rule::sites | Rule::portable => {
                let names: Vec<Name> = inner.map(|pair| self.name(&pair)).collect();
                Item::Strategy(Strategy {
                    doc,
                    name: Spanned::new(String::new(), span),
                    loader: (rule == Rule::loader).then(|| names.first().cloned()).flatten(),
                    sites: if rule == Rule::sites { names } else { Vec::new() },
                    portable: (rule == Rule::portable).then_some(span),
                    items: Vec::new(),
                    span,
                })
            }
            _ => return None,
        })
    }

    pub(crate) fn strategy_head(&mut self, pairs: Vec<Pair>) -> Option<(Vec<String>, Name)> {
        let mut doc = Vec::new();
        for pair in pairs.into_iter().flat_map(inner_of) {
            match pair.as_rule() {
                Rule::doc => {
                    let text = pair.as_str().trim_start_matches("///");
                    doc.push(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned());
                }
                Rule::ident => return Some((doc, self.name(&pair))),
                _ => {}
            }
        }
        None
    }

    pub(crate) fn family_head(&mut self, pairs: Vec<Pair>) -> Option<(Capture, Vec<Expr>)> {
        let mut inner = pairs.into_iter().flat_map(inner_of);
        let variable = self.capture(&inner.next()?);
        let values = inner.filter(|pair| pair.as_rule() == Rule::expr).map(|pair| self.expr(pair)).collect();
        Some((variable, values))
    }

    fn missing(&mut self, name: &Name, what: &str, lacks: &str, help: &str) {
        self.errors.push(
            SyntaxError::new(
                "relo::syntax::incomplete",
                name.span,
                format!("{what} `{}` has {lacks}", name.item),
            )
            .label("this one")
            .help(help.to_owned()),
        );
    }

    fn complete(
        &mut self,
        name: &Name,
        what: &str,
        blocks: Blocks,
    ) -> Option<(Match, Option<Where>, Outcome, Vec<Test>)> {
        let Some(matches) = blocks.matches else {
            self.missing(name, what, "no `match`", "write what it is for: `match { … }`");
            return None;
        };
        let outcome = match (blocks.rewrite, blocks.reject) {
            (Some(rewrite), None) => Outcome::Rewrite(rewrite),
            (None, Some(reject)) => Outcome::Reject(reject),
            (None, None) => {
                self.missing(
                    name,
                    what,
                    "neither `rewrite` nor `reject`",
                    "write what happens when it matches",
                );
                return None;
            }
            (Some(rewrite), Some(reject)) => {
                self.errors.push(
                    SyntaxError::new(
                        "relo::syntax::two_outcomes",
                        reject.span,
                        "a rule rewrites or rejects, not both",
                    )
                    .label("it rejects here")
                    .also(rewrite.span, "it rewrites here")
                    .help("write two rules"),
                );
                return None;
            }
        };
        Some((matches, blocks.wheres, outcome, blocks.tests))
    }

    fn blocks<'p>(&mut self, pairs: impl Iterator<Item = Pair<'p>>) -> Blocks {
        let mut blocks = Blocks::default();
        for pair in pairs {
            let span = self.span(&pair);
            let mut twice = None;
            match pair.as_rule() {
                Rule::match_block => {
                    let patterns = inner_of(pair).map(|pair| self.match_item(pair)).collect();
                    twice = blocks.matches.replace(Match { patterns, span }).map(|before| before.span);
                }
                Rule::where_block => {
                    let clauses = inner_of(pair).map(|pair| self.clause(pair)).collect();
                    twice = blocks.wheres.replace(Where { clauses, span }).map(|before| before.span);
                }
                Rule::rewrite_block => {
                    let statements = inner_of(pair).filter_map(|pair| self.statement(pair)).collect();
                    twice = blocks.rewrite.replace(Rewrite { statements, span }).map(|before| before.span);
                }
                Rule::reject => {
                    if let Some(string) = inner_of(pair).next() {
                        let text = self.text_with_holes(&string);
                        twice = blocks.reject.replace(text).map(|before| before.span);
                    }
                }
                Rule::attributes_policy => {
                    if let Some(policy) = inner_of(pair).next() {
                        twice = blocks.attributes.replace(self.name(&policy)).map(|before| before.span);
                    }
                }
                Rule::test => blocks.tests.extend(self.test(pair)),
                _ => {}
            }
            if let Some(first) = twice {
                self.errors.push(
                    SyntaxError::new("relo::syntax::twice", span, "this block is here twice")
                        .also(first, "the first one")
                        .help("put both into one, or write two rules"),
                );
            }
        }
        blocks
    }

    fn match_item(&mut self, pair: Pair) -> MatchItem {
        if pair.as_rule() == Rule::call {
            MatchItem::Fragment(self.call(pair))
        } else {
            MatchItem::Operation(self.operation(pair))
        }
    }

    fn clause(&mut self, pair: Pair) -> Clause {
        if pair.as_rule() != Rule::bind {
            return Clause::Test(self.expr(pair));
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
        let value = value.unwrap_or(Expr { kind: crate::tree::ExprKind::Any, span });
        Clause::Bind { captures, value, span }
    }

    fn statement(&mut self, pair: Pair) -> Option<Statement> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        if rule == Rule::operation {
            return Some(Statement::Build(self.operation(pair)));
        }
        let mut inner = inner_of(pair);
        Some(match rule {
            Rule::site => {
                let parts: Vec<Expr> = inner.map(|pair| self.primary_or_expr(pair)).collect();
                let zero = Expr { kind: crate::tree::ExprKind::Int(0), span };
                match <[Expr; 3]>::try_from(parts) {
                    Ok([global, offset, referent]) => Statement::Site { global, offset, referent, span },
                    Err(parts) => {
                        let [global, referent] = <[Expr; 2]>::try_from(parts).ok()?;
                        Statement::Site { global, offset: zero, referent, span }
                    }
                }
            }
            Rule::erase => Statement::Erase(
                inner.next().and_then(|pair| inner_of(pair).next()).map(|pair| self.capture_expr(&pair)),
                span,
            ),
            Rule::replace => {
                let mut values = inner.filter_map(|pair| inner_of(pair).next());
                let (old, new) = (values.next()?, values.next()?);
                Statement::Replace(self.capture(&old), self.capture(&new), span)
            }
            Rule::build_call => {
                let mut results = Vec::new();
                let mut call = None;
                let mut types = Vec::new();
                for pair in inner {
                    match pair.as_rule() {
                        Rule::results => results = self.results(pair),
                        Rule::call => call = Some(self.call(pair)),
                        Rule::bare_call => call = self.bare_call(pair),
                        Rule::types => types = inner_of(pair).map(|pair| self.primary(pair)).collect(),
                        _ => {}
                    }
                }
                Statement::Call { results, call: call?, types }
            }
            _ => return None,
        })
    }

    fn test(&mut self, pair: Pair) -> Option<Test> {
        let span = self.span(&pair);
        let mut inner = inner_of(pair);
        let name = self.string(&inner.next()?);
        let mut expectation = Expectation::Snapshot;
        let mut input = None;
        for pair in inner {
            match pair.as_rule() {
                Rule::expectation => expectation = self.expectation(pair)?,
                Rule::test_body => {
                    input = inner_of(pair).next().map(|text| {
                        let start = self.base + text.as_span().start();
                        Spanned::new(text.as_str().to_owned(), Span::new(start, start + text.as_str().len()))
                    });
                }
                _ => {}
            }
        }
        Some(Test { name, expectation, input: input?, span })
    }

    fn expectation(&mut self, pair: Pair) -> Option<Expectation> {
        let mut inner = inner_of(pair);
        let word = inner.next()?;
        let text = inner.next().map(|pair| self.string(&pair));
        match (word.as_str(), text) {
            ("unchanged", None) => Some(Expectation::Unchanged),
            ("todo", None) => Some(Expectation::Todo),
            ("rejects", text) => Some(Expectation::Rejects(text)),
            (other, _) => {
                let span = self.span(&word);
                self.errors.push(
                    SyntaxError::new(
                        "relo::syntax::expectation",
                        span,
                        format!("a test does not expect `{other}`"),
                    )
                    .help("write nothing for a snapshot, or `unchanged`, `rejects \"…\"` or `todo`"),
                );
                None
            }
        }
    }

    fn path(&mut self, pair: Pair) -> Path {
        let span = self.span(&pair);
        Spanned::new(inner_of(pair).map(|pair| self.name(&pair)).collect(), span)
    }
}
