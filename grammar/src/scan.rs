//! A text with its tokens and brackets: what cutting, reporting and formatting look at.

use std::ops::Range;

use crate::brackets::{self, Ends};
use crate::error::SyntaxError;
use crate::lex::{self, Bracket, Kind, Token};
use crate::span::Span;

/// A text, looked through once.
pub(crate) struct Scan<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: Vec<Token>,
    ends: Ends,
}

impl<'a> Scan<'a> {
    /// Looks through a text; the mistakes are those of single tokens and of brackets.
    pub(crate) fn new(text: &'a str) -> (Self, Vec<SyntaxError>) {
        let (mut tokens, mut errors) = lex::tokens(text);
        let (ends, more) = brackets::matched(text, &mut tokens);
        errors.extend(more);
        (Self { text, tokens, ends }, errors)
    }

    pub(crate) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    pub(crate) fn kind(&self, index: usize) -> Option<Kind> {
        self.tokens.get(index).map(|token| token.kind)
    }

    pub(crate) fn word(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |token| &self.text[token.span.range()])
    }

    pub(crate) fn is_word(&self, index: usize, word: &str) -> bool {
        self.kind(index) == Some(Kind::Word) && self.word(index) == word
    }

    pub(crate) fn is_sign(&self, index: usize, sign: &str) -> bool {
        self.kind(index) == Some(Kind::Sign) && self.word(index) == sign
    }

    /// The place of a range of tokens; of an empty one, where it would stand.
    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        let start = self.tokens.get(range.start).map_or(self.text.len(), |token| token.span.start);
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        Span::new(start, last.map_or(start, |last| self.tokens[last].span.end))
    }

    /// What stands between a bracket and the one that closes it.
    pub(crate) fn inside(&self, open: usize) -> Range<usize> {
        open + 1..self.ends[open].max(open + 1).min(self.tokens.len())
    }

    /// The token after a bracket and all that it holds.
    pub(crate) fn after(&self, open: usize) -> usize {
        if self.tokens[open].bad { self.inside(open).end } else { self.ends[open] + 1 }
    }

    /// Whether a token is one to be parsed: no comment, no doc, no new line.
    pub(crate) fn is_significant(&self, index: usize) -> bool {
        !matches!(self.tokens[index].kind, Kind::Newline | Kind::Comment | Kind::Doc | Kind::FileDoc)
    }

    /// The first token of a range that is not a comment, doc or new line.
    pub(crate) fn significant(&self, range: Range<usize>) -> Option<usize> {
        range.into_iter().find(|index| self.is_significant(*index))
    }

    /// Whether a mistake inside a range was reported already.
    pub(crate) fn is_bad(&self, range: &Range<usize>) -> bool {
        self.tokens[range.clone()].iter().any(|token| token.bad)
    }

    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Open(Bracket::Curly))
    }
}
