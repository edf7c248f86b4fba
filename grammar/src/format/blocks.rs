//! The blocks of a rule and their lines.

use std::ops::Range;

use super::{Formatter, WIDTH};
use crate::cut::{self, Cut};
use crate::lex::Kind;
use crate::parser::{Rule as Piece, inner_of};
use crate::print::{self, Spelling};
use crate::tree::{Attribute, Clause, MatchItem, Operation, Statement};

/// A line of a block, as the parser reads it.
enum Line {
    Match(MatchItem),
    Clause(Clause),
    Statement(Statement),
}

impl Line {
    fn text(&self, spelling: Spelling) -> String {
        match self {
            Self::Match(item) => spelling.match_item(item),
            Self::Clause(clause) => spelling.clause(clause),
            Self::Statement(statement) => spelling.statement(statement),
        }
    }

    fn operation(&self) -> Option<&Operation> {
        match self {
            Self::Match(MatchItem::Operation(operation)) | Self::Statement(Statement::Build(operation)) => {
                Some(operation)
            }
            _ => None,
        }
    }
}

impl Formatter<'_> {
    pub(super) fn blocks(&mut self, range: Range<usize>) {
        let cuts = cut::blocks(&self.parser.scan, range.clone());
        let columns = cuts.iter().map(|cut| self.keyword(cut)).filter(|word| is_aligned(word)).map(str::len);
        let columns = columns.max().unwrap_or(0);
        let short: Vec<Option<String>> = cuts.iter().map(|cut| self.short(cut, columns)).collect();
        let aligned = short.iter().any(Option::is_some);
        let mut at = range.start;
        for (cut, short) in cuts.iter().zip(short) {
            self.gap(at..cut.tokens.start, at == range.start);
            self.block(cut, short, if aligned { columns } else { 0 });
            at = cut.tokens.end;
        }
        self.last_gap(at..range.end, at == range.start);
    }

    fn keyword(&self, cut: &Cut) -> &str {
        self.parser.scan.word(cut.tokens.start)
    }

    fn block(&mut self, cut: &Cut, short: Option<String>, columns: usize) {
        let keyword = self.keyword(cut).to_owned();
        let Some(open) = cut.body else {
            self.hoist(&cut.tokens);
            return self.plain_block(cut, columns);
        };
        self.hoist(&(cut.tokens.start..open));
        if let Some(short) = short {
            return self.line(&short);
        }
        if keyword == "test" {
            return self.test(cut);
        }
        let inside = self.parser.scan.inside(open);
        self.braced(&format!("{keyword:columns$}"), inside, |formatter, inside| {
            let mut at = inside.start;
            for tokens in cut::lines(&formatter.parser.scan, inside.clone()) {
                formatter.gap(at..tokens.start, at == inside.start);
                formatter.block_line(&keyword, &tokens);
                at = tokens.end;
            }
            formatter.last_gap(at..inside.end, at == inside.start);
        });
    }

    /// `reject "…"` and `attributes drop`.
    fn plain_block(&mut self, cut: &Cut, columns: usize) {
        let last = cut.tokens.end - 1;
        let (keyword, word) = (self.keyword(cut).to_owned(), self.parser.scan.word(last).to_owned());
        if keyword != "reject" {
            return self.line(&format!("{keyword} {word}"));
        }
        let text = self.parser.piece(Piece::reject, cut.tokens.clone(), |builder, pair| {
            inner_of(pair).next().map(|string| builder.text_with_holes(&string))
        });
        if let Some(text) = text {
            let text = self.spelling().reject(&text.item);
            self.line(&format!("{keyword:columns$}{}", &text[keyword.len()..]));
        }
    }

    fn test(&mut self, cut: &Cut) {
        if let Some(test) = self.parser.test(cut) {
            self.line(&format!("{} {{{}}}", print::test_head(&test), test.input.item));
        }
    }

    /// The block on one line, if it may stay on one.
    fn short(&mut self, cut: &Cut, columns: usize) -> Option<String> {
        let open = cut.body?;
        let keyword = self.keyword(cut).to_owned();
        let inside = self.parser.scan.inside(open);
        let has_comment = inside.clone().any(|index| self.parser.scan.kind(index) == Some(Kind::Comment));
        let first = self.parser.scan.kind(inside.start);
        if keyword == "test"
            || has_comment
            || matches!(first, None | Some(Kind::Newline))
            || inside.is_empty()
        {
            return None;
        }
        // Each line is built only as long as the block can still fit.
        let mut text = String::new();
        for tokens in cut::lines(&self.parser.scan, inside) {
            let line = self.read(&keyword, &tokens)?.text(self.spelling());
            text.push_str(if text.is_empty() { "" } else { "; " });
            text.push_str(&line);
            if text.len() > 4 * WIDTH {
                return None;
            }
        }
        Some(format!("{keyword:columns$} {{ {text} }}")).filter(|text| self.fits(text))
    }

    fn read(&mut self, keyword: &str, tokens: &Range<usize>) -> Option<Line> {
        let tokens = tokens.clone();
        match keyword {
            "match" => {
                self.parser.piece(Piece::match_line, tokens, |b, pair| b.match_item(pair).map(Line::Match))
            }
            "where" => self.parser.piece(Piece::clause, tokens, |b, pair| b.clause(pair).map(Line::Clause)),
            _ => {
                self.parser.piece(Piece::statement, tokens, |b, pair| b.statement(pair).map(Line::Statement))
            }
        }
    }

    fn block_line(&mut self, keyword: &str, tokens: &Range<usize>) {
        let Some(line) = self.read(keyword, tokens) else { return };
        let text = line.text(self.spelling());
        if let Some(operation) = line.operation().filter(|operation| !operation.attributes.is_empty()) {
            let comments = self.comments_in_attributes(operation, tokens);
            if !comments.is_empty() || !self.fits(&text) {
                return self.spread(operation, &comments, tokens);
            }
        }
        self.hoist(tokens);
        if let Line::Clause(Clause::Test(condition)) = &line
            && !self.fits(&text)
        {
            let mut parts = self.spelling().joined_parts(condition).into_iter();
            self.line(&parts.next().unwrap_or_default());
            self.depth += 1;
            parts.for_each(|part| self.line(&part));
            self.depth -= 1;
            return;
        }
        self.line(&text);
    }

    /// Comments between the braces of an operation's attributes, as tokens.
    fn comments_in_attributes(&self, operation: &Operation, tokens: &Range<usize>) -> Vec<usize> {
        let Some(span) = operation.attributes_span else { return Vec::new() };
        tokens
            .clone()
            .filter(|index| {
                let token = self.parser.scan.tokens[*index];
                token.kind == Kind::Comment && span.start < token.span.start && token.span.end < span.end
            })
            .collect()
    }

    /// An operation with its attributes on lines of their own.
    fn spread(&mut self, operation: &Operation, comments: &[usize], tokens: &Range<usize>) {
        for index in tokens.clone() {
            if self.parser.scan.kind(index) == Some(Kind::Comment) && !comments.contains(&index) {
                let comment = self.parser.scan.word(index);
                self.line(comment);
            }
        }
        let (before, after) = self.spelling().operation_around(operation);
        self.line(&format!("{before} {{"));
        self.depth += 1;
        let mut comments = comments.iter().copied().peekable();
        for index in 0..=operation.attributes.len() {
            let attribute = index.checked_sub(1).and_then(|index| operation.attributes.get(index));
            let next = operation.attributes.get(index).map(start_of);
            if let Some(attribute) = attribute {
                // Comments before this attribute that the line before has not taken.
                while let Some(comment) =
                    comments.next_if(|index| self.starts_before(*index, start_of(attribute)))
                {
                    let comment = self.parser.scan.word(comment);
                    self.line(comment);
                }
                self.line(&format!("{},", self.spelling().attribute(attribute)));
            }
            if let Some(comment) = comments.next_if(|index| {
                self.is_behind(*index) && next.is_none_or(|next| self.starts_before(*index, next))
            }) {
                let comment = self.parser.scan.word(comment);
                self.behind(comment);
            }
        }
        for comment in comments {
            let comment = self.parser.scan.word(comment);
            self.line(comment);
        }
        self.depth -= 1;
        self.line(&format!("}}{after}"));
    }

    fn starts_before(&self, index: usize, at: usize) -> bool {
        self.parser.scan.tokens[index].span.start < at
    }

    /// Whether a comment stands behind something else on its line.
    fn is_behind(&self, index: usize) -> bool {
        index.checked_sub(1).and_then(|before| self.parser.scan.kind(before)) != Some(Kind::Newline)
    }
}

fn is_aligned(keyword: &str) -> bool {
    matches!(keyword, "match" | "where" | "rewrite" | "reject")
}

fn start_of(attribute: &Attribute) -> usize {
    match attribute {
        Attribute::Is { name, .. } | Attribute::Absent(name) => name.span.start,
        Attribute::Rest(_, span) => span.start,
    }
}
