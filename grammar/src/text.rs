//! What stands between quotes: escapes, and the holes of messages.

use crate::brackets::{DEEPEST, too_deep};
use crate::build::Builder;
use crate::error::SyntaxError;
use crate::mistakes;
use crate::parser::{Pair, Rule, inner_of, parse_piece};
use crate::scan::Scan;
use crate::span::{Span, Spanned};
use crate::tree::{Expr, Text, TextPart};

impl Builder {
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
                    let span = Span::new(start + at, start + at + length);
                    let written = &text[at..at + length];
                    self.errors.push(
                        SyntaxError::new("relo::syntax::escape", span, format!("`{written}` is no escape"))
                            .label("unknown escape")
                            .help(r#"escapes are \" \\ \n \t \{ and \}; a backslash itself is \\"#),
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
        let (mut literal, mut at) = (0, 0);
        while let Some(c) = raw[at..].chars().next() {
            if c == '\\' {
                at += 1 + raw[at + 1..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            if c != '{' {
                at += c.len_utf8();
                continue;
            }
            if at > literal {
                parts.push(TextPart::Literal(self.unescaped(&raw[literal..at], start + literal)));
            }
            let Some(length) = hole_length(&raw[at + 1..]) else {
                self.errors.push(
                    SyntaxError::new(
                        "relo::syntax::hole",
                        Span::new(start + at, start + at + 1),
                        "this hole is never closed",
                    )
                    .label("opened here")
                    .help(r"close it with `}`, or write `\{` for a brace"),
                );
                return Spanned::new(Text { parts }, span);
            };
            let hole = &raw[at + 1..=at + length];
            parts.extend(self.hole(hole, start + at + 1).map(TextPart::Hole));
            at += length + 2;
            literal = at;
        }
        if literal < raw.len() {
            parts.push(TextPart::Literal(self.unescaped(&raw[literal..], start + literal)));
        }
        Spanned::new(Text { parts }, span)
    }

    fn hole(&mut self, hole: &str, base: usize) -> Option<Expr> {
        if hole.trim().is_empty() {
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::hole",
                    Span::new(base - 1, base + hole.len() + 1),
                    "this hole is empty",
                )
                .label("nothing to say here")
                .help(r"name what to say, as in `{$referent}`, or write `\{\}` for braces"),
            );
            return None;
        }
        // A text is one token to the scan of the file: what is nested inside was not counted there.
        if hole.matches(['(', '[', '<', '{']).count() > DEEPEST {
            self.errors.push(too_deep(Span::new(base, base + 1)));
            return None;
        }
        match parse_piece(Rule::hole, hole, base) {
            Ok(pair) => {
                let outer = std::mem::replace(&mut self.base, base);
                let expr = inner_of(pair).next().map(|pair| self.expr(pair));
                self.base = outer;
                expr
            }
            Err(failure) => {
                let (scan, _) = Scan::new(hole);
                let error = mistakes::explain(&scan, Rule::hole, scan.all(), &failure, base);
                self.errors.push(error);
                None
            }
        }
    }
}

/// The length of a hole up to the brace that closes it: `${parameter}` has braces of its own.
fn hole_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
