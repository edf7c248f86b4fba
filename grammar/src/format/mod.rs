//! The formatter: one layout for all rule files, with every comment and doc in its place.
//!
//! It walks the same cuts as the parser does, so that it prints a line from what the parser made of it and can't
//! change what a file means. What stands between the lines (comments, docs, at most one empty line) is kept.
//!
//! - A block stays on one line where its author began it on the line of its brace, it has no comments, and it fits.
//! - Where a rule has such a block, the braces of its blocks stand in one column.
//! - An operation that does not fit has its attributes on lines of their own, a condition its `and`s or `or`s.
//! - A comment in the middle of a line moves above it; the text of a test is not touched.

mod blocks;
mod gaps;

use std::ops::Range;

use crate::cut::{self, Cut};
use crate::error::SyntaxError;
use crate::parse::{Parser, parse};
use crate::parser::{Rule as Piece, inner_of};
use crate::print::{self, Spelling};
use crate::scan::Scan;
use crate::span::Source;
use crate::tree::{Family, Item};

/// Columns of a line.
pub(crate) const WIDTH: usize = 100;

/// Formats a file.
///
/// # Errors
///
/// The file's syntax errors: what can't be read is not touched.
pub fn format(source: &Source) -> Result<String, Vec<SyntaxError>> {
    let (_, errors) = parse(source);
    if !errors.is_empty() {
        return Err(errors);
    }
    let (scan, _) = Scan::new(&source.text);
    let mut formatter =
        Formatter { parser: Parser { scan, errors, unread: Vec::new() }, out: String::new(), depth: 0 };
    let all = formatter.parser.scan.all();
    formatter.items(all);
    Ok(formatter.out)
}

pub(crate) struct Formatter<'a> {
    parser: Parser<'a>,
    out: String,
    depth: usize,
}

impl<'a> Formatter<'a> {
    fn spelling(&self) -> Spelling<'a> {
        Spelling { source: Some(self.parser.scan.text) }
    }

    fn line(&mut self, line: &str) {
        self.out.extend(std::iter::repeat_n(' ', 4 * self.depth));
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn fits(&self, text: &str) -> bool {
        4 * self.depth + text.chars().count() <= WIDTH
    }

    /// Items with what stands between them.
    fn items(&mut self, range: Range<usize>) {
        let mut at = range.start;
        for cut in cut::items(&self.parser.scan, range.clone()) {
            self.gap(at..cut.tokens.start, at == range.start);
            self.item(&cut);
            at = cut.tokens.end;
        }
        self.last_gap(at..range.end, at == range.start);
    }

    fn item(&mut self, cut: &Cut) {
        let scan = &self.parser.scan;
        let Some(open) = cut.body else {
            self.hoist(&cut.tokens);
            return self.plain(cut);
        };
        let (keyword, name) = (scan.word(cut.tokens.start), scan.word(cut.tokens.start + 1));
        let inside = scan.inside(open);
        let head = cut.head(scan);
        let span = scan.span(&cut.tokens);
        let plain = format!("{keyword} {name}");
        self.hoist(&(cut.tokens.start..open));
        let text = match keyword {
            "fragment" => match self.parser.item(cut) {
                Some(Item::Fragment(fragment)) => print::fragment_head(&fragment),
                _ => return,
            },
            "override" => match self.parser.item(cut) {
                Some(Item::Override(rule)) => print::override_head(&rule),
                _ => return,
            },
            "for" => {
                let family = self.parser.piece(Piece::family_head, head, |builder, pair| {
                    let mut inner = inner_of(pair);
                    let variable = builder.capture(&inner.next()?);
                    Some(Family::<Item> { variable, values: builder.exprs(inner), items: Vec::new(), span })
                });
                match family {
                    Some(family) => self.spelling().family_head(&family),
                    None => return,
                }
            }
            _ => plain,
        };
        self.braced(&text, inside, |formatter, inside| match keyword {
            "strategy" | "for" => formatter.items(inside),
            _ => formatter.blocks(inside),
        });
    }

    /// An item of one line, or a line of a strategy.
    fn plain(&mut self, cut: &Cut) {
        let scan = &self.parser.scan;
        let words = |range: Range<usize>| -> Vec<&str> {
            range.filter(|index| scan.is_significant(*index)).map(|index| scan.word(index)).collect()
        };
        let text = match scan.word(cut.tokens.start) {
            "loader" | "portable" => words(cut.tokens.clone()).join(" "),
            "sites" => {
                let sites = words(cut.tokens.start + 1..cut.tokens.end);
                format!(
                    "sites {}",
                    sites.into_iter().filter(|word| *word != ",").collect::<Vec<_>>().join(", ")
                )
            }
            _ => match self.parser.item(cut).and_then(|item| self.spelling().line(&item)) {
                Some(line) => line,
                None => return,
            },
        };
        match text.split_once(" because ").filter(|_| !self.fits(&text)) {
            Some((before, reason)) => {
                self.line(before);
                self.depth += 1;
                self.line(&format!("because {reason}"));
                self.depth -= 1;
            }
            None => self.line(&text),
        }
    }

    fn braced(&mut self, head: &str, inside: Range<usize>, body: impl FnOnce(&mut Self, Range<usize>)) {
        if inside.clone().all(|index| self.parser.scan.kind(index) == Some(crate::lex::Kind::Newline)) {
            return self.line(&format!("{head} {{}}"));
        }
        self.line(&format!("{head} {{"));
        self.depth += 1;
        body(self, inside);
        self.depth -= 1;
        self.line("}");
    }
}
