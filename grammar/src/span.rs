//! Places in source texts, shared by every stage that reports on them.

use std::ops::Range;
use std::sync::Arc;

/// A source text and the name it is known by in diagnostics. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// The name shown to the user: a path, or `core/patch.relo` for an embedded pack.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// A source from its name and text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// A half-open range of bytes in one [`Source`]; its file is the [`Spanned`] item's file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A span from its two ends.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The bytes of the span.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A piece of the tree with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The piece.
    pub item: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A piece at a place.
    pub fn new(item: T, span: Span) -> Self {
        Self { item, span }
    }
}

/// A name with its place.
pub type Name = Spanned<String>;
