//! Where what has two ends stops: texts, types, tests; and where it likely should, when its other end is missing.

use super::lexer::Lexer;
use super::{Bracket, Kind, is_letter};
use crate::error::SyntaxError;
use crate::span::Span;

impl Lexer<'_> {
    pub(super) fn string(&mut self) {
        match quoted(&self.rest()[1..], '"') {
            Some(length) => self.push(Kind::Text, 1 + length),
            None => {
                let error =
                    SyntaxError::new("relo::syntax::string", self.here(1), "this text is never closed")
                        .label("it begins here")
                        .help("close it with `\"` on the same line; a new line inside is written `\\n`");
                self.push_bad(Kind::Text, unclosed_length(self.line()), error);
            }
        }
    }

    /// `!llvm.struct<(i64, array<8 x i8>)>`: one token up to the angle bracket that closes the first.
    pub(super) fn mlir_type(&mut self) {
        let rest = self.rest();
        let name = 1 + name_length(&rest[1..]);
        if !rest[name..].starts_with('<') {
            return self.push(Kind::Type, name);
        }
        let (mut depth, mut deepest, mut at) = (0_usize, 0, name);
        while let Some(c) = rest[at..].chars().next().filter(|c| *c != '\n') {
            at += c.len_utf8();
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                '-' if rest[at..].starts_with('>') => at += 1,
                '"' => match quoted(&rest[at..], '"') {
                    Some(length) => at += length,
                    None => break,
                },
                _ => {}
            }
            deepest = deepest.max(depth);
            if depth == 0 {
                break;
            }
        }
        if depth > 0 {
            let span = Span::new(self.at + name, self.at + name + 1);
            let error = SyntaxError::new("relo::syntax::unclosed", span, "this `<` is never closed")
                .label("opened here")
                .help("close the type with `>` on the same line");
            return self.push_bad(Kind::Type, unclosed_length(self.line()), error);
        }
        if deepest > crate::brackets::DEEPEST {
            let error = crate::brackets::too_deep(self.here(name));
            return self.push_bad(Kind::Type, at, error);
        }
        self.push(Kind::Type, at);
    }

    /// The braces of a test, with what stands between them as one token.
    pub(super) fn raw(&mut self) {
        let start = self.at;
        match raw_length(&self.rest()[1..]) {
            Some(length) => {
                self.push(Kind::Open(Bracket::Curly), 1);
                self.push(Kind::Raw, length);
                self.push(Kind::Close(Bracket::Curly), 1);
            }
            None => {
                let span = Span::new(start, start + 1);
                let error = SyntaxError::new("relo::syntax::unclosed", span, "this test is never closed")
                    .label("its text begins here")
                    .help("add the `}` that ends it; braces inside it have to be balanced");
                let (length, brace) =
                    if self.lost { (self.rest().len() - 1, 0) } else { self.likely_end(start + 1) };
                self.lost = true;
                self.push(Kind::Open(Bracket::Curly), 1);
                self.push_bad(Kind::Raw, length, error);
                self.push(Kind::Close(Bracket::Curly), brace);
            }
        }
    }

    /// How long a test that is never closed was likely meant to be, up to a brace that stands below `test` or to
    /// where the next item begins; and the length of the brace that closes it, if there is one.
    fn likely_end(&self, inside: usize) -> (usize, usize) {
        let line_start = self.text[..inside].rfind('\n').map_or(0, |at| at + 1);
        let indent = indentation(&self.text[line_start..]);
        let rest = &self.text[inside..];
        let mut at = rest.find('\n').map_or(rest.len(), |end| end + 1);
        for line in rest[at..].split_inclusive('\n') {
            let (here, body) = (indentation(line), line.trim_start());
            if here == indent && body.starts_with('}') {
                return (at + here, 1);
            }
            if here < indent && body.starts_with(|c: char| c == '}' || c.is_ascii_alphabetic()) {
                return (at, 0);
            }
            at += line.len();
        }
        (rest.len(), 0)
    }
}

/// How many bytes of blanks a line begins with.
pub(crate) fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The length of a name at the start of a text, dots between its parts included.
pub(super) fn name_length(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        if rest.starts_with(|c: char| !is_letter(c) || c.is_ascii_digit()) || rest.is_empty() {
            return length.saturating_sub(1);
        }
        length += rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        if !text[length..].starts_with('.') {
            return length;
        }
        length += 1;
    }
}

/// The length of what stands before `quote` on the line, with the quote; a backslash takes the next character along.
pub(super) fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == '\n' {
            return None;
        }
        if c == quote && !escaped {
            return Some(at + c.len_utf8());
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// How much of the line belongs to a text that is not closed: not the brackets at the end of the line, which most
/// likely close or open what is around it.
pub(super) fn unclosed_length(line: &str) -> usize {
    let trimmed = line.trim_end();
    let kept =
        trimmed.strip_suffix('{').unwrap_or_else(|| trimmed.trim_end_matches([')', ']', '}', ';', ' ']));
    kept.len().max(1)
}

/// The length of a test's text, up to the brace that closes it.
fn raw_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            b'"' => {
                let rest = &text[at + 1..];
                at += quoted(rest, '"').unwrap_or_else(|| rest.find('\n').unwrap_or(rest.len()));
            }
            _ => {}
        }
        at += 1;
    }
    None
}
