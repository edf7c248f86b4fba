//! Which bracket closes which. Where they don't fit, indentation and the words at the beginnings of lines tell which
//! one was forgotten, so that one missing brace is one error and what follows it is still read.

use crate::error::SyntaxError;
use crate::lex::{Bracket, Kind, Token, indentation};
use crate::span::Span;

/// Brackets nested deeper than this are refused, so that no stage has to fear for its stack.
pub(crate) const DEEPEST: usize = 64;

/// Words that begin an item.
const ITEMS: [&str; 11] = [
    "pack", "phase", "use", "param", "disjoint", "fragment", "rule", "strategy", "for", "prefer", "override",
];

/// Words that begin a block of a rule.
const BLOCKS: [&str; 6] = ["match", "where", "rewrite", "reject", "attributes", "test"];

/// For each opening token, where its inside ends: at the token that closes it, or where it should have been closed.
pub(crate) type Ends = Vec<usize>;

pub(crate) fn too_deep(span: Span) -> SyntaxError {
    SyntaxError::new("relo::syntax::nesting", span, "this is nested too deeply")
        .label(format!("below {DEEPEST} others"))
        .help("give a part of it a name of its own: an operation, a capture or a fragment")
}

/// Matches the brackets of a text. Tokens whose bracket is missing are marked bad.
pub(crate) fn matched(text: &str, tokens: &mut [Token]) -> (Ends, Vec<SyntaxError>) {
    let mut plain = Matcher::new(text, tokens, false);
    plain.run();
    if plain.errors.is_empty() {
        return (plain.ends, plain.errors);
    }
    let mut careful = Matcher::new(text, tokens, true);
    careful.run();
    let (ends, errors, bad) = (careful.ends, careful.errors, careful.bad);
    for index in bad {
        tokens[index].bad = true;
    }
    (ends, errors)
}

#[derive(Clone, Copy)]
struct Opened {
    bracket: Bracket,
    index: usize,
    /// How far the line of the bracket is indented.
    indent: usize,
    /// The first token of its line, or of what the line has after the last brace.
    head: usize,
}

struct Matcher<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// Whether indentation and words count.
    careful: bool,
    open: Vec<Opened>,
    /// Brackets opened beyond the deepest level.
    excess: usize,
    ends: Ends,
    bad: Vec<usize>,
    errors: Vec<SyntaxError>,
}

impl<'t> Matcher<'t> {
    fn new(text: &'t str, tokens: &'t [Token], careful: bool) -> Self {
        Self {
            text,
            tokens,
            careful,
            open: Vec::new(),
            excess: 0,
            ends: vec![tokens.len(); tokens.len()],
            bad: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut line_start = 0;
        let mut first = true;
        let mut head = 0;
        for index in 0..self.tokens.len() {
            let token = self.tokens[index];
            match token.kind {
                Kind::Newline => {
                    line_start = token.span.end;
                    first = true;
                    head = index + 1;
                    continue;
                }
                Kind::Open(bracket) => {
                    let indent = indentation(&self.text[line_start..token.span.start]);
                    self.opens(Opened { bracket, index, indent, head });
                    head = if bracket == Bracket::Curly { index + 1 } else { head };
                }
                Kind::Close(bracket) => {
                    let column = (first && self.careful).then(|| token.span.start - line_start);
                    self.closes(bracket, index, column);
                    head = if bracket == Bracket::Curly { index + 1 } else { head };
                }
                Kind::Raw => {
                    let raw = &self.text[token.span.range()];
                    if let Some(at) = raw.rfind('\n') {
                        line_start = token.span.start + at + 1;
                        first = raw[at..].trim().is_empty();
                        continue;
                    }
                }
                Kind::Word if first && self.careful => self.begins(index, line_start),
                _ => {}
            }
            first = false;
        }
        if let Some(last) = self.open.last().copied() {
            self.never_closed(last, None);
        }
        self.bad.extend(self.open.drain(..).map(|opened| opened.index));
    }

    fn opens(&mut self, opened: Opened) {
        if self.open.len() < DEEPEST {
            return self.open.push(opened);
        }
        self.excess += 1;
        self.bad.push(opened.index);
        self.ends[opened.index] = opened.index + 1;
        if self.excess == 1 {
            self.errors.push(too_deep(self.tokens[opened.index].span));
        }
    }

    fn closes(&mut self, bracket: Bracket, index: usize, column: Option<usize>) {
        if self.excess > 0 {
            self.excess -= 1;
            return;
        }
        // A brace that stands further left than the line that its partner opened in closes another one.
        if let Some(column) = column
            && bracket == Bracket::Curly
            && self.open.last().is_some_and(|top| top.indent > column)
            && let Some(at) = self.open.iter().rposition(|o| o.bracket == bracket && o.indent == column)
        {
            self.abandon(at + 1, index);
        }
        let partner = self
            .open
            .iter()
            .rposition(|opened| opened.bracket == bracket || opened.bracket == Bracket::Curly)
            .filter(|at| self.open[*at].bracket == bracket)
            .filter(|at| !(self.careful && self.goes_on(*at, index)));
        match partner {
            Some(at) => {
                self.abandon(at + 1, index);
                if let Some(opened) = self.open.pop() {
                    self.ends[opened.index] = index;
                }
            }
            None if self.crosses(index) => {}
            None => {
                self.bad.push(index);
                // Several in a row are one mistake.
                if index > 0 && self.bad.iter().rev().nth(1) == Some(&(index - 1)) {
                    return;
                }
                let mut error = SyntaxError::new(
                    "relo::syntax::unopened",
                    self.tokens[index].span,
                    format!("this `{}` closes nothing", bracket.close()),
                )
                .label("nothing is open that it could close");
                if let Some(around) = self.open.last() {
                    error = error.also(
                        self.tokens[around.index].span,
                        format!("the innermost open bracket is this `{}`", around.bracket.open()),
                    );
                }
                self.errors.push(error.help("remove it, or add the one that it should close"));
            }
        }
    }

    /// Whether a bracket closes one of another kind, as in `[1, 2)`: that one is taken as closed.
    fn crosses(&mut self, index: usize) -> bool {
        let kind = |index: usize| match self.tokens[index].kind {
            Kind::Open(bracket) | Kind::Close(bracket) if bracket != Bracket::Curly => Some(bracket),
            _ => None,
        };
        let Some((opened, (open, close))) =
            self.open.last().copied().and_then(|top| Some((top, (kind(top.index)?, kind(index)?))))
        else {
            return false;
        };
        self.open.pop();
        self.ends[opened.index] = index;
        self.bad.extend([opened.index, index]);
        self.errors.push(
            SyntaxError::new(
                "relo::syntax::crossed",
                self.tokens[index].span,
                format!("`{}` does not close `{}`", close.close(), open.open()),
            )
            .label(format!("expected `{}`", open.close()))
            .also(self.tokens[opened.index].span, "opened here")
            .help(format!("write `{}`", open.close())),
        );
        true
    }

    /// Whether a rule that a brace would close goes on after it with another block.
    fn goes_on(&self, at: usize, index: usize) -> bool {
        if !matches!(self.head(&self.open[at]), "rule" | "override" | "fragment") {
            return false;
        }
        let mut next = (index + 1..self.tokens.len())
            .filter(|next| !matches!(self.tokens[*next].kind, Kind::Newline | Kind::Comment));
        next.next().is_some_and(|next| self.begins_block(next))
    }

    fn begins_block(&self, index: usize) -> bool {
        let next = self.tokens.get(index + 1).map(|next| next.kind);
        BLOCKS.contains(&self.word(index)) && matches!(next, Some(Kind::Open(Bracket::Curly) | Kind::Text))
    }

    fn word(&self, index: usize) -> &'t str {
        &self.text[self.tokens[index].span.range()]
    }

    /// A word at the beginning of a line that can't stand inside what is open: that was never closed.
    fn begins(&mut self, index: usize, line_start: usize) {
        let token = self.tokens[index];
        let word = self.word(index);
        let next = self.tokens.get(index + 1).map(|next| next.kind);
        let named = next == Some(if word == "for" { Kind::Capture } else { Kind::Word });
        if ITEMS.contains(&word) && named {
            let outermost = token.span.start == line_start;
            let keep = self
                .open
                .iter()
                .position(|opened| outermost || !matches!(self.head(opened), "strategy" | "for"))
                .unwrap_or(self.open.len());
            self.abandon(keep, index);
        } else if self.begins_block(index) {
            let inside = self.open.iter().position(|opened| BLOCKS.contains(&self.head(opened)));
            self.abandon(inside.unwrap_or(self.open.len()), index);
        }
    }

    /// The first word of what a brace belongs to.
    fn head(&self, opened: &Opened) -> &'t str {
        self.word(opened.head)
    }

    /// Gives up the brackets from `keep` on: they end before the token at `index`.
    fn abandon(&mut self, keep: usize, index: usize) {
        if self.open.len() <= keep {
            return;
        }
        self.excess = 0;
        let reported = self.open[self.open.len() - 1];
        self.never_closed(reported, Some(index));
        for opened in self.open.drain(keep..) {
            self.ends[opened.index] = index;
            self.bad.push(opened.index);
        }
    }

    fn never_closed(&mut self, opened: Opened, before: Option<usize>) {
        let span = self.tokens[opened.index].span;
        let mut error = SyntaxError::new(
            "relo::syntax::unclosed",
            span,
            format!("this `{}` is never closed", opened.bracket.open()),
        )
        .label("opened here");
        if let Some(before) = before.and_then(|index| self.tokens.get(index)) {
            error = error.also(before.span, "should be closed before this");
        }
        self.errors.push(error.help(format!("add the `{}` that closes it", opened.bracket.close())));
    }
}
