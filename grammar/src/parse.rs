//! From a file's text to its tree, with all its mistakes.

use std::ops::Range;

use crate::build::Builder;
use crate::cut::{self, Cut};
use crate::error::SyntaxError;
use crate::lex::Kind;
use crate::mistakes;
use crate::parser::{Pair, Rule as Piece, inner_of, parse_piece};
use crate::scan::Scan;
use crate::span::{Name, Source, Span, Spanned};
use crate::tree::{Fact, Family, File, Fragment, Item, Override, Param, Prefer, Rule, Sigil, Strategy};

/// Parses a file. The tree holds every item without a mistake; the errors are in the order of the text.
pub fn parse(source: &Source) -> (File, Vec<SyntaxError>) {
    let (scan, errors) = Scan::new(&source.text);
    let mut parser = Parser { scan, errors, unread: Vec::new() };
    let doc = parser.file_doc();
    let items = parser.items(parser.scan.all(), None);
    parser.errors.sort_by_key(|error| error.span);
    (File { doc, items, unread: parser.unread }, parser.errors)
}

/// Reads a text piece by piece.
pub(crate) struct Parser<'a> {
    pub(crate) scan: Scan<'a>,
    pub(crate) errors: Vec<SyntaxError>,
    pub(crate) unread: Vec<String>,
}

impl Parser<'_> {
    /// `//!` lines stand before everything else.
    fn file_doc(&mut self) -> Vec<String> {
        let first = self
            .scan
            .all()
            .find(|index| {
                !matches!(self.scan.tokens[*index].kind, Kind::FileDoc | Kind::Comment | Kind::Newline)
            })
            .unwrap_or(self.scan.tokens.len());
        let (doc, stray): (Vec<usize>, Vec<usize>) = self
            .scan
            .all()
            .filter(|index| self.scan.tokens[*index].kind == Kind::FileDoc)
            .partition(|index| *index < first);
        self.stray_docs(&stray, "`//!` stands at the top of a file");
        doc.into_iter().map(|index| doc_line(self.scan.word(index), "//!")).collect()
    }

    /// The items in a range; lines of a strategy go to the strategy that they stand in.
    fn items(&mut self, range: Range<usize>, mut strategy: Option<&mut Strategy>) -> Vec<Item> {
        let mut items = Vec::new();
        for cut in cut::items(&self.scan, range) {
            match &mut strategy {
                Some(strategy) if is_strategy_line(self.scan.word(cut.tokens.start)) => {
                    self.strategy_line(&cut, strategy);
                }
                _ => match self.item(&cut) {
                    Some(item) => items.push(item),
                    None => self.unread(&cut),
                },
            }
        }
        items
    }

    /// Notes what an item declares that could not be read: its keyword, which may be the mistake, comes before a name.
    fn unread(&mut self, cut: &Cut) {
        let second = cut.tokens.start + 1;
        if cut.head(&self.scan).contains(&second) && self.scan.tokens[second].kind == Kind::Word {
            self.unread.push(self.scan.word(second).to_owned());
        }
    }

    pub(crate) fn item(&mut self, cut: &Cut) -> Option<Item> {
        if cut.tokens.is_empty() {
            self.stray_docs(&cut.docs, "nothing follows it");
            return None;
        }
        let head = cut.head(&self.scan);
        let second = cut.tokens.start + 1;
        let keyword = match self.scan.word(cut.tokens.start) {
            _ if head.contains(&second) && self.scan.is_word(second, "implies") => "implies",
            keyword => keyword,
        };
        if !matches!(keyword, "param" | "fragment" | "rule" | "strategy" | "override") {
            self.stray_docs(&cut.docs, "what follows has no documentation of its own");
        }
        match keyword {
            "pack" => self.named(Piece::pack, cut).map(Item::Pack),
            "phase" => self.named(Piece::phase, cut).map(Item::Phase),
            "use" => self.named(Piece::use_pack, cut).map(Item::Use),
            "param" => {
                let doc = self.doc(cut);
                let param = self.piece(Piece::param, cut.tokens.clone(), |builder, pair| {
                    let mut inner = inner_of(pair);
                    let (name, kind) = (builder.name(&inner.next()?), builder.name(&inner.next()?));
                    Some(Param { doc, name, kind, default: inner.next().map(|pair| builder.expr(pair)) })
                })?;
                self.snake_case(&param.name, "parameter");
                Some(Item::Param(param))
            }
            "disjoint" => self.two(Piece::disjoint, cut).map(|(a, b)| Item::Fact(Fact::Disjoint(a, b))),
            "implies" => self.two(Piece::implies, cut).map(|(a, b)| Item::Fact(Fact::Implies(a, b))),
            "prefer" => self.prefer(cut).map(Item::Prefer),
            "rule" => self.rule(cut).map(Item::Rule),
            "fragment" => self.fragment(cut).map(Item::Fragment),
            "override" => self.override_rule(cut).map(Item::Override),
            "strategy" => self.strategy(cut).map(Item::Strategy),
            "for" => self.family(cut).map(Item::Family),
            _ => {
                let error = mistakes::unknown_item(&self.scan, cut);
                self.errors.extend(error);
                None
            }
        }
    }

    /// Parses some tokens as one piece, unless a mistake in them is known already.
    pub(crate) fn piece<T>(
        &mut self,
        rule: Piece,
        tokens: Range<usize>,
        build: impl FnOnce(&mut Builder, Pair) -> Option<T>,
    ) -> Option<T> {
        if self.scan.is_bad(&tokens) {
            return None;
        }
        let span = self.scan.span(&tokens);
        match parse_piece(rule, &self.scan.text[span.range()], span.start) {
            Ok(pair) => {
                let mut builder = Builder::new(span.start);
                let built = build(&mut builder, pair);
                let sound = builder.errors.is_empty();
                self.errors.append(&mut builder.errors);
                built.filter(|_| sound)
            }
            Err(failure) => {
                self.errors.push(mistakes::explain(&self.scan, rule, tokens, &failure, 0));
                None
            }
        }
    }

    fn doc(&self, cut: &Cut) -> Vec<String> {
        cut.docs.iter().map(|index| doc_line(self.scan.word(*index), "///")).collect()
    }

    fn named(&mut self, rule: Piece, cut: &Cut) -> Option<Name> {
        let name = self.piece(rule, cut.tokens.clone(), |b, pair| Some(b.name(&inner_of(pair).next()?)))?;
        self.snake_case(&name, "pack or phase");
        Some(name)
    }

    fn two(&mut self, rule: Piece, cut: &Cut) -> Option<(Name, Name)> {
        self.piece(rule, cut.tokens.clone(), |builder, pair| {
            let mut inner = inner_of(pair);
            Some((builder.name(&inner.next()?), builder.name(&inner.next()?)))
        })
    }

    fn prefer(&mut self, cut: &Cut) -> Option<Prefer> {
        let span = self.scan.span(&cut.tokens);
        self.piece(Piece::prefer, cut.tokens.clone(), |builder, pair| {
            let mut inner = inner_of(pair);
            Some(Prefer {
                winner: builder.path(inner.next()?),
                loser: builder.path(inner.next()?),
                because: builder.string(&inner.next()?),
                span,
            })
        })
    }

    fn rule(&mut self, cut: &Cut) -> Option<Rule> {
        let name = self.head(Piece::rule_head, cut, |b, pair| Some(b.name(&inner_of(pair).next()?)));
        if let Some(name) = &name {
            self.snake_case(name, "rule");
        }
        let before = self.errors.len();
        let mut blocks = self.blocks(self.body(cut)?);
        let broken = self.errors.len() > before || self.scan.is_bad(&cut.tokens);
        let name = name?;
        let (matches, outcome) = self.complete(&name, "rule", &mut blocks, broken)?;
        Some(Rule {
            doc: self.doc(cut),
            name,
            matches,
            wheres: blocks.wheres,
            outcome,
            attributes: blocks.attributes,
            tests: blocks.tests,
            span: self.scan.span(&cut.tokens),
        })
    }

    fn override_rule(&mut self, cut: &Cut) -> Option<Override> {
        let head = self.head(Piece::override_head, cut, |builder, pair| {
            let mut inner = inner_of(pair);
            Some((builder.path(inner.next()?), builder.string(&inner.next()?)))
        });
        let before = self.errors.len();
        let mut blocks = self.blocks(self.body(cut)?);
        let broken = self.errors.len() > before || self.scan.is_bad(&cut.tokens);
        let (target, because) = head?;
        if let Some(policy) = &blocks.attributes {
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::block",
                    policy.span,
                    "an override keeps the attributes' policy",
                )
                .label("not here")
                .help("remove the line"),
            );
        }
        let name = Spanned::new(join(&target.item), target.span);
        let (matches, outcome) = self.complete(&name, "override", &mut blocks, broken)?;
        Some(Override {
            doc: self.doc(cut),
            target,
            because,
            matches,
            wheres: blocks.wheres,
            outcome,
            tests: blocks.tests,
            span: self.scan.span(&cut.tokens),
        })
    }

    fn fragment(&mut self, cut: &Cut) -> Option<Fragment> {
        let head = self.head(Piece::fragment_head, cut, |builder, pair| {
            let mut inner = inner_of(pair);
            let name = builder.name(&inner.next()?);
            Some((name, inner.map(|pair| builder.capture(&pair)).collect()))
        });
        let before = self.errors.len();
        let blocks = self.blocks(self.body(cut)?);
        let broken = self.errors.len() > before || self.scan.is_bad(&cut.tokens);
        let (name, parameters) = head?;
        self.snake_case(&name, "fragment");
        let odd = [
            blocks.reject.as_ref().map(|reject| (reject.span, "reject")),
            blocks.attributes.as_ref().map(|policy| (policy.span, "attributes")),
            blocks.tests.first().map(|test| (test.span, "test")),
        ];
        for (span, word) in odd.into_iter().flatten() {
            self.errors.push(
                SyntaxError::new("relo::syntax::block", span, format!("a fragment has no `{word}`"))
                    .label("not here")
                    .help(format!("`{word}` belongs to the rules that use the fragment")),
            );
        }
        if broken {
            return None;
        }
        if blocks.matches.is_none() && blocks.rewrite.is_none() {
            let lacks = format!("fragment `{}` has neither `match` nor `rewrite`", name.item);
            self.incomplete(
                name.span,
                lacks,
                "say what it stands for: `match { … }` where it is matched, `rewrite { … }` where it is built",
            );
            return None;
        }
        if let Some(matches) = &blocks.matches {
            self.rooted(matches)?;
        }
        let (matches, wheres, rewrite) = (blocks.matches, blocks.wheres, blocks.rewrite);
        Some(Fragment { doc: self.doc(cut), name, parameters, matches, wheres, rewrite })
    }

    fn strategy(&mut self, cut: &Cut) -> Option<Strategy> {
        let name = self.head(Piece::strategy_head, cut, |b, pair| Some(b.name(&inner_of(pair).next()?)));
        let mut strategy = Strategy {
            doc: self.doc(cut),
            name: name.clone().unwrap_or_else(|| Spanned::new(String::new(), Span::default())),
            loader: None,
            sites: Vec::new(),
            portable: None,
            items: Vec::new(),
            span: self.scan.span(&cut.tokens),
        };
        let body = self.body(cut)?;
        strategy.items = self.items(body, Some(&mut strategy));
        self.snake_case(&name?, "strategy");
        Some(strategy)
    }

    fn strategy_line(&mut self, cut: &Cut, strategy: &mut Strategy) {
        self.stray_docs(&cut.docs, "what follows has no documentation of its own");
        let span = self.scan.span(&cut.tokens);
        let before = match self.scan.word(cut.tokens.start) {
            "loader" => {
                let action = self.piece(Piece::loader, cut.tokens.clone(), |b, pair| {
                    Some(b.name(&inner_of(pair).next()?))
                });
                action.and_then(|action| strategy.loader.replace(action)).map(|before| before.span)
            }
            "sites" => {
                let sites = self.piece(Piece::sites, cut.tokens.clone(), |builder, pair| {
                    Some(inner_of(pair).map(|pair| builder.name(&pair)).collect())
                });
                sites
                    .map(|sites| std::mem::replace(&mut strategy.sites, sites))
                    .and_then(|before| before.first().map(|first| first.span))
            }
            _ => {
                let portable = self.piece(Piece::portable, cut.tokens.clone(), |_, _| Some(span));
                portable.and_then(|span| strategy.portable.replace(span))
            }
        };
        if let Some(first) = before {
            self.errors.push(
                SyntaxError::new("relo::syntax::twice", span, "a strategy has this line once")
                    .label("the second one")
                    .also(first, "the first one")
                    .help("keep one of the two"),
            );
        }
    }

    fn family(&mut self, cut: &Cut) -> Option<Family<Item>> {
        let head = self.head(Piece::family_head, cut, |builder, pair| {
            let mut inner = inner_of(pair);
            let variable = builder.capture(&inner.next()?);
            Some((variable, builder.exprs(inner)))
        });
        let items = self.items(self.body(cut)?, None);
        let Some((variable, values)) = head else {
            self.unread.extend(items.iter().filter_map(Item::declares).map(|name| name.item.clone()));
            return None;
        };
        if variable.sigil != Sigil::Data {
            let name = &variable.name;
            self.errors.push(
                SyntaxError::new("relo::syntax::sigil", name.span, "the variable of a family is data")
                    .label("not a `$` name")
                    .help(format!("write `${}`", name.item)),
            );
            return None;
        }
        Some(Family { variable, values, items, span: self.scan.span(&cut.tokens) })
    }

    /// What stands before an item's body; without a body it is reported to have none.
    fn head<T>(
        &mut self,
        rule: Piece,
        cut: &Cut,
        build: impl FnOnce(&mut Builder, Pair) -> Option<T>,
    ) -> Option<T> {
        let head = cut.head(&self.scan);
        let before = self.errors.len();
        let built = self.piece(rule, head.clone(), build);
        if cut.body.is_none() && self.errors.len() == before && !self.scan.is_bad(&cut.tokens) {
            let keyword = self.scan.word(head.start);
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::block",
                    self.scan.span(&head),
                    format!("this `{keyword}` has no body"),
                )
                .label("a block in braces is missing after this")
                .help("write what it consists of in braces: `{ … }`"),
            );
        }
        built
    }

    fn body(&self, cut: &Cut) -> Option<Range<usize>> {
        cut.body.map(|open| self.scan.inside(open))
    }

    fn snake_case(&mut self, name: &Name, what: &str) {
        if name.item.chars().any(|c| c.is_ascii_uppercase()) {
            let mut snake = String::new();
            let mut before = '_';
            for c in name.item.chars() {
                if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
                    snake.push('_');
                }
                snake.push(c.to_ascii_lowercase());
                before = c;
            }
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::name",
                    name.span,
                    format!("the name of a {what} has no capital letters"),
                )
                .label("capital letters here")
                .help(format!("write `{snake}`")),
            );
        }
    }
}

fn is_strategy_line(word: &str) -> bool {
    matches!(word, "loader" | "sites" | "portable")
}

fn join(names: &[Name]) -> String {
    names.iter().map(|name| name.item.as_str()).collect::<Vec<_>>().join(".")
}

/// A doc comment's line without its marker.
pub(crate) fn doc_line(line: &str, marker: &str) -> String {
    let text = line.strip_prefix(marker).unwrap_or(line);
    text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned()
}
