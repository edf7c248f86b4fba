//! What to say of a piece that can't be read: first the mistakes that authors make, each with its own words, then
//! what was expected and what was found.

mod lines;
mod names;
mod unknown;

use std::ops::Range;

use crate::error::SyntaxError;
use crate::lex::{Bracket, Kind};
use crate::parser::{Failure, Rule};
use crate::scan::Scan;
use crate::span::Span;

pub(crate) use unknown::{near, unknown_block, unknown_item};

/// A failed piece, with the token at which it fails.
struct Failed<'s, 'a> {
    scan: &'s Scan<'a>,
    rule: Rule,
    tokens: Range<usize>,
    expected: &'s [&'static str],
    may_end: bool,
    /// The token that does not fit; `None` where the piece ends too early.
    found: Option<usize>,
    /// Whether only a part of that token does not fit.
    within: bool,
    /// What does not fit, as messages say it.
    text: String,
    span: Span,
}

/// The error for a piece of the text that starts at `offset`.
pub(crate) fn explain(
    scan: &Scan,
    rule: Rule,
    tokens: Range<usize>,
    failure: &Failure,
    offset: usize,
) -> SyntaxError {
    let failed = Failed::new(scan, rule, tokens, failure, failure.at - offset);
    let mut error =
        names::mistake(&failed).or_else(|| lines::mistake(&failed)).unwrap_or_else(|| failed.generic());
    for (span, _) in &mut error.labels {
        *span = Span::new(span.start + offset, span.end + offset);
    }
    error.span = Span::new(error.span.start + offset, error.span.end + offset);
    error
}

impl<'s, 'a> Failed<'s, 'a> {
    fn new(scan: &'s Scan<'a>, rule: Rule, tokens: Range<usize>, failure: &'s Failure, at: usize) -> Self {
        let found =
            tokens.clone().find(|index| scan.is_significant(*index) && scan.tokens[*index].span.end > at);
        let within = found.is_some_and(|found| scan.tokens[found].span.start < at);
        let (text, span) = match found {
            Some(found) => {
                let span = scan.tokens[found].span;
                let span = Span::new(span.start.max(at), span.end);
                (format!("`{}`", shortened(&scan.text[span.range()])), span)
            }
            None => {
                let end = scan.span(&tokens).end;
                match scan.kind(tokens.end) {
                    None => ("the end of the text".to_owned(), Span::new(end, end)),
                    Some(Kind::Newline | Kind::Comment) => {
                        ("the end of the line".to_owned(), Span::new(end, end))
                    }
                    Some(_) => (format!("`{}`", scan.word(tokens.end)), scan.tokens[tokens.end].span),
                }
            }
        };
        let expected = &failure.expected;
        Self { scan, rule, tokens, expected, may_end: failure.may_end, found, within, text, span }
    }

    fn expects(&self, what: &str) -> bool {
        self.expected.contains(&what)
    }

    fn found_kind(&self) -> Option<Kind> {
        self.found.and_then(|found| self.scan.kind(found))
    }

    /// The token that does not fit, as written.
    fn found_text(&self) -> &'a str {
        self.found.map_or("", |found| self.scan.word(found))
    }

    /// The token before the one that does not fit.
    fn before(&self) -> Option<usize> {
        let end = self.found.unwrap_or(self.tokens.end);
        (self.tokens.start..end).rev().find(|index| self.scan.is_significant(*index))
    }

    /// The token after the one that does not fit.
    fn after(&self) -> Option<usize> {
        self.scan.significant(self.found? + 1..self.tokens.end)
    }

    /// The bracket around the token that does not fit.
    fn around(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (self.tokens.start..self.found.unwrap_or(self.tokens.end)).rev() {
            match self.scan.tokens[index].kind {
                Kind::Close(_) => depth += 1,
                Kind::Open(_) if depth == 0 => return Some(index),
                Kind::Open(_) => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn is_operation(&self) -> bool {
        matches!(self.rule, Rule::match_line | Rule::statement)
    }

    /// Whether the token stands in an operation's `{ attributes }`.
    fn in_attributes(&self) -> bool {
        self.is_operation()
            && self.around().is_some_and(|open| self.scan.kind(open) == Some(Kind::Open(Bracket::Curly)))
    }

    fn error(&self, code: &'static str, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(code, self.span, message)
    }

    fn generic(&self) -> SyntaxError {
        let mut expected: Vec<&str> = self.expected.to_vec();
        // An operator can follow nearly everything: it is said only where nothing else can come.
        if expected.len() > 1 {
            expected.retain(|word| *word != crate::parser::OPERATOR);
        }
        if self.may_end && self.found.is_some() {
            expected.push("the end of the line");
        }
        let wanted = match expected.as_slice() {
            [] => "something else".to_owned(),
            [one] => (*one).to_owned(),
            [most @ .., last] => format!("{} or {last}", most.join(", ")),
        };
        let label =
            if expected.len() > 2 { "does not fit here".to_owned() } else { format!("expected {wanted}") };
        self.error("relo::syntax::unexpected", format!("expected {wanted}, found {}", self.text))
            .label(label)
            .help(format!("the form is {}", self.form()))
    }

    /// How the piece is written.
    fn form(&self) -> &'static str {
        match self.rule {
            Rule::pack => "`pack name`",
            Rule::phase => "`phase name`",
            Rule::use_pack => "`use pack`",
            Rule::param => "`param name: type = value`",
            Rule::disjoint => "`disjoint one, other`",
            Rule::implies => "`one implies other`",
            Rule::prefer => "`prefer rule over rule because \"…\"`",
            Rule::rule_head => "`rule name { … }`",
            Rule::override_head => "`override pack.rule because \"…\" { … }`",
            Rule::fragment_head => "`fragment name(%value, $data) { … }`",
            Rule::strategy_head => "`strategy name { … }`",
            Rule::family_head => "`for $name in { value, value } { … }`",
            Rule::loader => "`loader action`",
            Rule::sites => "`sites slot, record`",
            Rule::portable => "`portable`",
            Rule::match_line => "`%result = dialect.name %operand { attribute = value } : type`",
            Rule::statement => {
                "`%result = dialect.name %operand { attribute = value } : type`, `%result = builder(…)`, \
                 `%result = %value`, `site @global + 8 = $referent` or `erase`"
            }
            Rule::reject => "`reject \"message\"`",
            Rule::attributes_policy => "`attributes carry` or `attributes drop`",
            Rule::test_head => "`test \"name\" { … }`",
            Rule::hole => "`{$name}` or `{function(@name)}`; a brace itself is `\\{`",
            _ => "`condition`, such as `is_word($T)` or `$x == 8`, or `$name = function(…)`",
        }
    }
}

/// A token of a length that a message bears.
fn shortened(token: &str) -> String {
    let line = token.lines().next().unwrap_or_default();
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
