//! The inside of rules, overrides and fragments: their blocks, each read on its own.

use std::ops::Range;

use crate::cut::{self, Cut};
use crate::error::SyntaxError;
use crate::lex::Kind;
use crate::mistakes;
use crate::parse::Parser;
use crate::parser::{Pair, Rule as Piece, inner_of};
use crate::span::{Name, Span, Spanned};
use crate::tree::{Expectation, Match, Outcome, Rewrite, Test, Text, Where};

/// The blocks of a rule, as they come.
#[derive(Default)]
pub(crate) struct Blocks {
    pub(crate) matches: Option<Match>,
    pub(crate) wheres: Option<Where>,
    pub(crate) rewrite: Option<Rewrite>,
    pub(crate) reject: Option<Spanned<Text>>,
    pub(crate) attributes: Option<Name>,
    pub(crate) tests: Vec<Test>,
}

/// The words that begin a block.
pub(crate) const KEYWORDS: [&str; 6] = ["match", "where", "rewrite", "reject", "attributes", "test"];

impl Parser<'_> {
    /// Reads the blocks in a rule's braces.
    pub(crate) fn blocks(&mut self, body: Range<usize>) -> Blocks {
        let mut blocks = Blocks::default();
        for block in cut::blocks(&self.scan, body) {
            self.stray_docs(&block.docs, "a block has no documentation of its own");
            if block.tokens.is_empty() {
                continue;
            }
            let span = self.scan.span(&block.tokens);
            let keyword = self.scan.word(block.tokens.start);
            let before = match keyword {
                "match" => {
                    let Some(lines) = self.lines_of(&block) else { continue };
                    let patterns = lines
                        .into_iter()
                        .filter_map(|line| self.piece(Piece::match_line, line, |b, pair| b.match_item(pair)))
                        .collect();
                    blocks.matches.replace(Match { patterns, span }).map(|before| before.span)
                }
                "where" => {
                    let Some(lines) = self.lines_of(&block) else { continue };
                    let clauses = lines
                        .into_iter()
                        .filter_map(|line| self.piece(Piece::clause, line, |b, pair| b.clause(pair)))
                        .collect();
                    blocks.wheres.replace(Where { clauses, span }).map(|before| before.span)
                }
                "rewrite" => {
                    let Some(lines) = self.lines_of(&block) else { continue };
                    let statements = lines
                        .into_iter()
                        .filter_map(|line| self.piece(Piece::statement, line, |b, pair| b.statement(pair)))
                        .collect();
                    blocks.rewrite.replace(Rewrite { statements, span }).map(|before| before.span)
                }
                "reject" => {
                    let text = self.piece(Piece::reject, block.tokens, |b, pair| {
                        inner_of(pair).next().map(|string| b.text_with_holes(&string))
                    });
                    text.and_then(|text| blocks.reject.replace(text)).map(|before| before.span)
                }
                "attributes" => {
                    let policy = self.piece(Piece::attributes_policy, block.tokens, |b, pair| {
                        inner_of(pair).next().map(|word| b.name(&word))
                    });
                    if let Some(policy) = &policy {
                        self.policy(policy);
                    }
                    policy.and_then(|policy| blocks.attributes.replace(policy)).map(|before| before.span)
                }
                "test" => {
                    let test = self.test(&block);
                    blocks.tests.extend(test);
                    None
                }
                _ => {
                    let error = mistakes::unknown_block(&self.scan, &block);
                    self.errors.extend(error);
                    None
                }
            };
            if let Some(first) = before {
                self.errors.push(
                    SyntaxError::new("relo::syntax::twice", span, format!("`{keyword}` is here twice"))
                        .label("the second one")
                        .also(first, "the first one")
                        .help("put both into one, or write two rules"),
                );
            }
        }
        blocks
    }

    /// The lines in a block's braces; a block without any is an error.
    fn lines_of(&mut self, block: &Cut) -> Option<Vec<Range<usize>>> {
        let keyword = self.scan.word(block.tokens.start);
        let head = block.head(&self.scan);
        let Some(open) = block.body.filter(|_| head.len() == 1) else {
            if !self.scan.is_bad(&block.tokens) {
                let place = self.scan.span(&(head.start..head.start + 1));
                let error = SyntaxError::new(
                    "relo::syntax::block",
                    place,
                    format!("`{keyword}` is not followed by a block in braces"),
                )
                .label("its block is missing")
                .help(format!("write `{keyword} {{ … }}`"));
                self.errors.push(error);
            }
            return None;
        };
        let inside = self.scan.inside(open);
        let docs: Vec<usize> = inside
            .clone()
            .filter(|index| matches!(self.scan.kind(*index), Some(Kind::Doc | Kind::FileDoc)))
            .collect();
        self.stray_docs(&docs, "a line of a block has no documentation of its own");
        Some(cut::lines(&self.scan, inside))
    }

    fn policy(&mut self, policy: &Name) {
        if !matches!(policy.item.as_str(), "carry" | "drop") {
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::keyword",
                    policy.span,
                    format!("attributes can't be asked to `{}`", policy.item),
                )
                .label("unknown policy")
                .help("write `attributes carry` or `attributes drop`"),
            );
        }
    }

    pub(crate) fn test(&mut self, block: &Cut) -> Option<Test> {
        let head = block.head(&self.scan);
        let span = self.scan.span(&block.tokens);
        let (name, expectation) = self.piece(Piece::test_head, head.clone(), |builder, pair| {
            let mut inner = inner_of(pair);
            let name = builder.string(&inner.next()?);
            let expectation = match inner.next() {
                Some(pair) => builder.expectation(pair)?,
                None => Expectation::Snapshot,
            };
            Some((name, expectation))
        })?;
        let Some(open) = block.body else {
            self.errors.push(
                SyntaxError::new("relo::syntax::block", name.span, "this test has no module")
                    .label("what it tests is missing")
                    .help("write its MLIR in braces: `test \"…\" { … }`"),
            );
            return None;
        };
        let inside = self.scan.inside(open);
        if self.scan.is_bad(&inside) {
            return None;
        }
        let place = self.scan.span(&inside);
        let input = Spanned::new(self.scan.text[place.range()].to_owned(), place);
        Some(Test { name, expectation, input, span })
    }

    /// A match and what comes of it, with the mistakes of having none or too much; nothing is said of a rule whose
    /// pieces have mistakes of their own.
    pub(crate) fn complete(
        &mut self,
        name: &Name,
        what: &str,
        blocks: &mut Blocks,
        broken: bool,
    ) -> Option<(Match, Outcome)> {
        if let (Some(rewrite), Some(reject)) = (&blocks.rewrite, &blocks.reject) {
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::two_outcomes",
                    reject.span,
                    format!("`{}` rewrites and rejects", name.item),
                )
                .label("it rejects here")
                .also(rewrite.span, "it rewrites here")
                .help("a rule does one of the two: write two rules, and `where` says which one applies"),
            );
            return None;
        }
        if broken {
            return None;
        }
        let outcome = match (blocks.rewrite.take(), blocks.reject.take()) {
            (Some(rewrite), _) => Some(Outcome::Rewrite(rewrite)),
            (None, Some(reject)) => Some(Outcome::Reject(reject)),
            (None, None) => {
                let lacks = format!("{what} `{}` has neither `rewrite` nor `reject`", name.item);
                self.incomplete(
                    name.span,
                    lacks,
                    "say what happens when it matches: `rewrite { … }`, or `reject \"…\"`",
                );
                None
            }
        };
        let Some(matches) = blocks.matches.take() else {
            let lacks = format!("{what} `{}` has no `match`", name.item);
            self.incomplete(name.span, lacks, "say what it is for: `match { … }`");
            return None;
        };
        self.rooted(&matches)?;
        Some((matches, outcome?))
    }

    /// A match has a root: its last operation.
    pub(crate) fn rooted(&mut self, matches: &Match) -> Option<()> {
        if matches.patterns.is_empty() {
            self.errors.push(
                SyntaxError::new("relo::syntax::root", matches.span, "this `match` has no operation")
                    .label("nothing to match")
                    .help("the last operation of a match is its root, which the rule rewrites: `%w = llvm.load %p`"),
            );
            return None;
        }
        Some(())
    }

    pub(crate) fn incomplete(&mut self, span: Span, lacks: String, help: &str) {
        self.errors
            .push(SyntaxError::new("relo::syntax::incomplete", span, lacks).label("incomplete").help(help));
    }

    pub(crate) fn stray_docs(&mut self, docs: &[usize], why: &str) {
        let (Some(first), Some(last)) = (docs.first(), docs.last()) else { return };
        let span = self.scan.tokens[*first].span.to(self.scan.tokens[*last].span);
        let help = match self.scan.tokens[*first].kind {
            Kind::FileDoc => "move it to the top of the file, or write a comment with two slashes: `// …`",
            _ => {
                "write a comment with two slashes, `// …`; `///` documents a rule, fragment, strategy, override or \
                  parameter, and `//!` at its top a file"
            }
        };
        self.errors.push(
            SyntaxError::new("relo::syntax::stray_doc", span, "this documents nothing").label(why).help(help),
        );
    }
}

impl crate::build::Builder {
    fn expectation(&mut self, pair: Pair) -> Option<Expectation> {
        let mut inner = inner_of(pair);
        let word = inner.next()?;
        let text = inner.next().map(|pair| self.string(&pair));
        match (word.as_str(), text) {
            ("unchanged", None) => Some(Expectation::Unchanged),
            ("todo", None) => Some(Expectation::Todo),
            ("rejects", text) => Some(Expectation::Rejects(text)),
            (other, text) => {
                if let Some(text) = text.filter(|_| matches!(other, "unchanged" | "todo")) {
                    self.errors.push(
                        SyntaxError::new(
                            "relo::syntax::keyword",
                            text.span,
                            format!("`{other}` is not followed by a text"),
                        )
                        .label("not here")
                        .help("only `rejects \"…\"` has one: a part of the message"),
                    );
                    return None;
                }
                self.errors.push(
                    SyntaxError::new(
                        "relo::syntax::keyword",
                        self.span(&word),
                        format!("a test does not expect `{other}`"),
                    )
                    .label("unknown expectation")
                    .help(
                        match mistakes::near(other, &["unchanged", "rejects", "todo"]) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => "write nothing for a snapshot, or `unchanged`, `rejects \"…\"` or `todo`"
                                .to_owned(),
                        },
                    ),
                );
                None
            }
        }
    }
}
