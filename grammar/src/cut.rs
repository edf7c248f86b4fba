//! Cuts a text into items, without understanding them: so that what is wrong in one hides no other.
//!
//! An item begins where a word or a doc comment begins a line outside all brackets, and ends where the next one
//! begins. Strings, comments and regular expressions are stepped over.

use crate::error::SyntaxError;
use crate::span::Span;

/// Brackets nested deeper than this are refused, so that no later stage has to fear for its stack.
const DEEPEST: usize = 64;

/// The words that begin an item at the start of a line even inside a bracket: that bracket was never closed.
const TOP_LEVEL: [&str; 8] = ["pack", "phase", "param", "fragment", "rule", "strategy", "override", "prefer"];

/// Gives the items of `text[span]`, and what is wrong with brackets and quotes.
pub(crate) fn items(text: &str, span: Span) -> (Vec<Span>, Vec<SyntaxError>) {
    let mut cutter = Cutter { text, at: span.start, end: span.end, open: Vec::new(), errors: Vec::new() };
    let mut starts: Vec<(usize, bool)> = Vec::new();
    let mut line_start = true;
    // The line's first character stands in the first column: no item inside a block does.
    let mut column_zero = span.start == 0;
    while let Some(c) = cutter.peek() {
        if line_start && !c.is_whitespace() {
            let is_doc = cutter.rest().starts_with("///") && !cutter.rest().starts_with("////");
            let word = cutter.word().to_owned();
            if column_zero && TOP_LEVEL.contains(&word.as_str()) && !cutter.open.is_empty() && span.start == 0
            {
                cutter.report_open();
            }
            let begins =
                is_doc || (!word.is_empty() && !["because", "over", "implies"].contains(&word.as_str()));
            // A doc comment belongs to what follows it.
            let after_doc =
                starts.last().is_some_and(|(start, doc)| *doc && only_docs(text, *start, cutter.at));
            if begins && cutter.open.is_empty() && !after_doc {
                starts.push((cutter.at, is_doc));
            }
            line_start = false;
        }
        if c == '\n' {
            line_start = true;
            column_zero = true;
            cutter.at += 1;
            continue;
        }
        if line_start {
            column_zero = false;
        }
        cutter.step(c);
    }
    cutter.report_open();
    let mut items: Vec<Span> = Vec::new();
    // What stands before the first item belongs to it, so that it is looked at.
    if let Some(first) = starts.first_mut() {
        first.0 = first.0.min(first_character(text, span));
    } else if first_character(text, span) < span.end {
        starts.push((first_character(text, span), false));
    }
    for (index, (start, _)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(span.end, |(next, _)| *next);
        items.push(Span::new(*start, end));
    }
    (items, cutter.errors)
}

/// The place of the bracket that closes the one at `open`, or the end.
pub(crate) fn closing(text: &str, open: usize, end: usize) -> Option<usize> {
    let mut cutter = Cutter { text, at: open, end, open: Vec::new(), errors: Vec::new() };
    while let Some(c) = cutter.peek() {
        let at = cutter.at;
        cutter.step(c);
        if cutter.open.is_empty() {
            return Some(at);
        }
    }
    None
}

fn first_character(text: &str, span: Span) -> usize {
    let mut at = span.start;
    for line in text[span.range()].split_inclusive('\n') {
        let trimmed = line.trim_start();
        let comment =
            trimmed.starts_with("//") && (!trimmed.starts_with("///") || trimmed.starts_with("////"));
        if !trimmed.is_empty() && !comment {
            return at + (line.len() - trimmed.len());
        }
        at += line.len();
    }
    span.end
}

fn only_docs(text: &str, start: usize, end: usize) -> bool {
    text[start..end].lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with("//"))
}

struct Cutter<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    open: Vec<(char, usize)>,
    errors: Vec<SyntaxError>,
}

impl Cutter<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn word(&self) -> &str {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..length]
    }

    fn step(&mut self, c: char) {
        match c {
            '"' => self.string(),
            '/' if self.rest().starts_with("//") => {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            }
            '/' => self.regex(),
            '{' | '(' | '[' => {
                if self.open.len() == DEEPEST {
                    self.errors.push(
                        SyntaxError::new(
                            "relo::syntax::nesting",
                            Span::new(self.at, self.at + 1),
                            "brackets are nested too deeply",
                        )
                        .help(format!("more than {DEEPEST} levels are never needed: split the rule")),
                    );
                }
                self.open.push((c, self.at));
                self.at += 1;
            }
            '}' | ')' | ']' => {
                self.close(c);
                self.at += 1;
            }
            _ => self.at += c.len_utf8(),
        }
    }

    fn close(&mut self, c: char) {
        let wanted = match c {
            '}' => '{',
            ')' => '(',
            _ => '[',
        };
        match self.open.last() {
            Some((open, _)) if *open == wanted => {
                self.open.pop();
            }
            Some((open, place)) => {
                let span = Span::new(self.at, self.at + 1);
                self.errors.push(
                    SyntaxError::new("relo::syntax::bracket", span, format!("`{c}` does not close `{open}`"))
                        .label("this closes something else")
                        .also(Span::new(*place, *place + 1), "opened here"),
                );
                self.open.pop();
            }
            None => {
                let span = Span::new(self.at, self.at + 1);
                self.errors.push(
                    SyntaxError::new("relo::syntax::bracket", span, format!("`{c}` closes nothing"))
                        .help("remove it, or add the bracket that it should close"),
                );
            }
        }
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        while let Some(c) = self.peek() {
            match c {
                '\n' => break,
                '\\' => self.at = (self.at + 1).min(self.end),
                '"' => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += self.peek().map_or(0, char::len_utf8);
        }
        self.errors.push(
            SyntaxError::new("relo::syntax::string", Span::new(start, self.at), "this text is never closed")
                .label("it begins here")
                .help("close it with `\"` on the same line"),
        );
    }

    /// A `/` begins a regular expression if another one ends it on the same line.
    fn regex(&mut self) {
        self.at += 1;
        let line = self.rest().split('\n').next().unwrap_or_default();
        let mut escaped = false;
        for (offset, c) in line.char_indices() {
            if c == '/' && !escaped {
                self.at += offset + 1;
                return;
            }
            escaped = c == '\\' && !escaped;
        }
    }

    fn report_open(&mut self) {
        if let Some((c, place)) = self.open.first().copied() {
            self.errors.push(
                SyntaxError::new(
                    "relo::syntax::bracket",
                    Span::new(place, place + 1),
                    format!("`{c}` is never closed"),
                )
                .label("opened here")
                .help("add the bracket that closes it"),
            );
        }
        self.open.clear();
    }
}
