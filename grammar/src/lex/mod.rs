//! From text to tokens: enough of a look at strings, comments, regular expressions and brackets to cut a file into
//! pieces that are parsed on their own, and to say what stands at the place of a mistake.

mod ends;
mod lexer;

pub(crate) use ends::indentation;
pub(crate) use lexer::tokens;

use crate::span::Span;

/// The four kinds of bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    Round,
    Square,
    Curly,
    /// Only after an attribute's name: `#reloc.word<…>`.
    Angle,
}

impl Bracket {
    pub(crate) fn open(self) -> char {
        match self {
            Self::Round => '(',
            Self::Square => '[',
            Self::Curly => '{',
            Self::Angle => '<',
        }
    }

    pub(crate) fn close(self) -> char {
        match self {
            Self::Round => ')',
            Self::Square => ']',
            Self::Curly => '}',
            Self::Angle => '>',
        }
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, dots included: `rule`, `llvm.load`.
    Word,
    /// `%x`, `@x`, `$x`.
    Capture,
    /// `${name}`.
    Param,
    Number,
    /// A string with its quotes.
    Text,
    Regex,
    /// `!llvm.ptr<1>`; also `!name`, an absent attribute.
    Type,
    /// `#reloc.word`.
    Attribute,
    Open(Bracket),
    Close(Bracket),
    /// Punctuation and operators.
    Sign,
    Comment,
    /// `///`.
    Doc,
    /// `//!`.
    FileDoc,
    Newline,
    /// What stands between the braces of a test.
    Raw,
    /// What the language has no use for; reported.
    Unknown,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// A mistake here is reported: what holds this token is not parsed any more.
    pub(crate) bad: bool,
}

pub(crate) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
