//! One token after the other.

use super::ends::{name_length, quoted, unclosed_length};
use super::{Bracket, Kind, Token, is_letter};
use crate::error::SyntaxError;
use crate::span::Span;

/// Gives the tokens of a text, and the mistakes of single tokens.
pub(crate) fn tokens(text: &str) -> (Vec<Token>, Vec<SyntaxError>) {
    let mut lexer = Lexer {
        text,
        at: 0,
        tokens: Vec::new(),
        errors: Vec::new(),
        open: Vec::new(),
        test: TestHead::No,
        lost: false,
    };
    while lexer.at < text.len() {
        lexer.step();
    }
    (lexer.tokens, lexer.errors)
}

/// How far into `test "name" words {` the lexer is: the brace at its end opens raw text.
#[derive(Clone, Copy, PartialEq)]
enum TestHead {
    No,
    Keyword,
    Named,
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    tokens: Vec<Token>,
    errors: Vec<SyntaxError>,
    /// Open brackets as far as they tell whether a `>` closes or compares.
    open: Vec<Bracket>,
    test: TestHead,
    /// A test's closing brace was sought in vain to the end of the text: once is enough.
    pub(super) lost: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// What is left of the line.
    pub(super) fn line(&self) -> &'a str {
        let rest = self.rest();
        rest.find('\n').map_or(rest, |end| &rest[..end]).trim_end_matches('\r')
    }

    pub(super) fn push(&mut self, kind: Kind, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.at = span.end;
        self.tokens.push(Token { kind, span, bad: false });
    }

    pub(super) fn push_bad(&mut self, kind: Kind, length: usize, error: SyntaxError) {
        self.push(kind, length);
        if let Some(token) = self.tokens.last_mut() {
            token.bad = true;
        }
        self.errors.push(error);
    }

    pub(super) fn here(&self, length: usize) -> Span {
        Span::new(self.at, self.at + length)
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return };
        let test = std::mem::replace(&mut self.test, TestHead::No);
        match c {
            ' ' | '\t' | '\r' | '\u{feff}' => {
                self.at += c.len_utf8();
                self.test = test;
            }
            '\n' => {
                self.push(Kind::Newline, 1);
                self.test = if test == TestHead::Named { test } else { TestHead::No };
            }
            '/' => self.slash(test),
            '"' => {
                self.string();
                self.test = if test == TestHead::No { test } else { TestHead::Named };
            }
            c if is_letter(c) && !c.is_ascii_digit() => self.word(test),
            c if c.is_ascii_digit() => self.number(),
            '%' | '@' => self.capture(),
            '$' if rest.starts_with("${") => self.param(),
            '$' => self.capture(),
            '!' if name_length(&rest[1..]) > 0 => self.mlir_type(),
            '#' if name_length(&rest[1..]) > 0 => self.attribute(),
            '{' if test != TestHead::No => self.raw(),
            '(' => self.opening(Bracket::Round),
            '[' => self.opening(Bracket::Square),
            '{' => self.opening(Bracket::Curly),
            ')' => self.closing(Bracket::Round),
            ']' => self.closing(Bracket::Square),
            '}' => self.closing(Bracket::Curly),
            '>' if self.open.last() == Some(&Bracket::Angle) => self.closing(Bracket::Angle),
            _ => self.sign(c),
        }
    }

    fn opening(&mut self, bracket: Bracket) {
        self.open.push(bracket);
        self.push(Kind::Open(bracket), 1);
    }

    fn closing(&mut self, bracket: Bracket) {
        // An angle that was never closed ends with what is around it.
        while self.open.last() == Some(&Bracket::Angle) && bracket != Bracket::Angle {
            self.open.pop();
        }
        if self.open.last() == Some(&bracket) {
            self.open.pop();
        }
        self.push(Kind::Close(bracket), 1);
    }

    fn sign(&mut self, c: char) {
        let two = ["..", "==", "!=", "<=", ">=", "->", "=>", "&&", "||", "::"];
        if let Some(sign) = two.iter().find(|sign| self.rest().starts_with(**sign)) {
            return self.push(Kind::Sign, sign.len());
        }
        if "=:;,<>+-!?._&|*^~#\\".contains(c) {
            return self.push(Kind::Sign, 1);
        }
        // A text in other quotes is one mistake, and so is a run of odd characters.
        // A text that is longer is hardly meant to be one; a bound keeps the work in proportion.
        let line: &str = self.rest();
        let line = line.char_indices().nth(200).map_or(line, |(end, _)| &line[..end]);
        let line = line.lines().next().unwrap_or(line);
        let closing = ["''", "``", "“”", "„“", "«»", "»«", "‘’"]
            .iter()
            .find(|pair| pair.starts_with(c))
            .and_then(|pair| line[c.len_utf8()..].find(pair.chars().next_back()?));
        let length = match closing {
            Some(end) => {
                let close = line[c.len_utf8() + end..].chars().next().map_or(0, char::len_utf8);
                c.len_utf8() + end + close
            }
            None => {
                line.find(|next: char| next.is_ascii() && next != c || is_letter(next)).unwrap_or(line.len())
            }
        }
        .max(c.len_utf8());
        let shown: String = match c {
            c if c.is_whitespace() || c.is_control() => c.escape_unicode().collect(),
            c => c.into(),
        };
        let mut error = SyntaxError::new(
            "relo::syntax::character",
            self.here(length),
            format!("`{shown}` has no meaning here"),
        )
        .label("not part of the language");
        error = match c {
            '\'' | '`' | '“' | '”' | '„' | '«' | '»' | '‘' | '’' => {
                error.help("texts stand in plain double quotes: `\"…\"`")
            }
            '→' => error.help("types stand after a colon: `: i64`"),
            '–' | '—' | '−' => error.help("write the plain minus `-`"),
            c if c.is_whitespace() => error.help("write a plain space"),
            _ => error.help("remove it"),
        };
        self.push_bad(Kind::Unknown, length, error);
    }

    fn slash(&mut self, test: TestHead) {
        let rest = self.rest();
        if let Some(comment) = rest.strip_prefix("//") {
            let kind = match comment.as_bytes() {
                [b'/', b'/', ..] => Kind::Comment,
                [b'/', ..] => Kind::Doc,
                [b'!', ..] => Kind::FileDoc,
                _ => Kind::Comment,
            };
            self.test = test;
            return self.push(kind, self.line().trim_end().len());
        }
        if rest.starts_with("/*") {
            let line = self.line();
            let length = line.find("*/").map_or(line.len(), |end| end + 2);
            let error =
                SyntaxError::new("relo::syntax::comment", self.here(2), "comments begin with `//`, not `/*`")
                    .label("not a comment here")
                    .help("write `//` before each line");
            return self.push_bad(Kind::Unknown, length, error);
        }
        match quoted(&self.rest()[1..], '/') {
            Some(length) => self.push(Kind::Regex, 1 + length),
            None => {
                let error = SyntaxError::new(
                    "relo::syntax::regex",
                    self.here(1),
                    "this regular expression is never closed",
                )
                .label("it begins here")
                .help("close it with `/` on the same line; a `/` inside is written `\\/`");
                self.push_bad(Kind::Regex, unclosed_length(self.line()), error);
            }
        }
    }

    fn word(&mut self, test: TestHead) {
        let length = name_length(self.rest()).max(1);
        let word = &self.rest()[..length];
        if let Some((at, odd)) = word.char_indices().find(|(_, c)| !c.is_ascii()) {
            let span = Span::new(self.at + at, self.at + at + odd.len_utf8());
            let error = SyntaxError::new(
                "relo::syntax::name",
                span,
                format!("`{odd}` can't stand in the name `{word}`"),
            )
            .label("not an ASCII letter")
            .help("names have the letters a to z, digits and `_`");
            return self.push_bad(Kind::Word, length, error);
        }
        self.test = match test {
            TestHead::No if word == "test" && self.begins_line() => TestHead::Keyword,
            TestHead::No => TestHead::No,
            TestHead::Keyword | TestHead::Named => TestHead::Named,
        };
        self.push(Kind::Word, length);
    }

    /// Whether what comes next is the first of its line, or of what follows a block or `;`.
    fn begins_line(&self) -> bool {
        self.tokens.last().is_none_or(|token| {
            matches!(
                token.kind,
                Kind::Newline | Kind::Close(Bracket::Curly) | Kind::Open(Bracket::Curly) | Kind::Text
            ) || &self.text[token.span.range()] == ";"
        })
    }

    fn number(&mut self) {
        let rest = self.rest();
        let mut length = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        if rest[length..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        {
            length += 1;
            length += rest[length..].find(|c| !is_letter(c)).unwrap_or(rest.len() - length);
        }
        let digits = &rest[..length];
        let valid = match digits.strip_prefix("0x") {
            Some(digits) => !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit()),
            None => digits.bytes().all(|digit| digit.is_ascii_digit()),
        };
        if valid {
            return self.push(Kind::Number, length);
        }
        let error = SyntaxError::new(
            "relo::syntax::number",
            self.here(length),
            format!("`{digits}` is not a whole number"),
        )
        .label("not a number")
        .help("numbers are decimal, as `64`, or hexadecimal, as `0x40`");
        self.push_bad(Kind::Number, length, error);
    }

    fn capture(&mut self) {
        let rest = self.rest();
        let length =
            rest[1..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len() - 1);
        let begins_well = !rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let found = &rest[..=length];
        if length > 0 && begins_well && &found[1..] != "_" {
            return self.push(Kind::Capture, 1 + length);
        }
        let error = SyntaxError::new(
            "relo::syntax::capture",
            self.here(1 + length),
            format!("`{found}` is no name of a capture"),
        )
        .label(match length {
            0 => "a name is missing",
            _ if begins_well => "`_` alone stands for what you don't need",
            _ => "a name begins with a letter",
        })
        .help("write a name after it, as in `%value`, `@symbol`, `$data`, or `_` for what you don't need");
        self.push_bad(Kind::Capture, 1 + length, error);
    }

    fn param(&mut self) {
        let rest = self.rest();
        let length =
            rest[2..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len() - 2);
        if length > 0 && rest[2 + length..].starts_with('}') {
            return self.push(Kind::Param, 3 + length);
        }
        let line = self.line();
        let end = line[2..]
            .find(['}', '{', ',', ';', ')'])
            .map_or(line.len(), |end| 2 + end + usize::from(line[2 + end..].starts_with('}')));
        let error = SyntaxError::new(
            "relo::syntax::parameter",
            self.here(end),
            "a parameter stands as `${name}`, with nothing else in the braces",
        )
        .label("not a parameter")
        .help("`$name` is a capture, `${name}` a parameter of the pack");
        self.push_bad(Kind::Param, end, error);
    }

    fn attribute(&mut self) {
        let length = 1 + name_length(&self.rest()[1..]);
        self.push(Kind::Attribute, length);
        if self.rest().starts_with('<') {
            self.opening(Bracket::Angle);
        }
    }
}
