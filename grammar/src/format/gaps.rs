//! What stands between lines: comments, docs and empty lines.

use std::ops::Range;

use super::Formatter;
use crate::lex::Kind;
use crate::parse::doc_line;

impl Formatter<'_> {
    /// What stands before a line: a comment behind the line before, then comments and docs of their own.
    pub(super) fn gap(&mut self, range: Range<usize>, first: bool) {
        let newlines = self.between(range, first);
        if newlines > 1 {
            self.empty_line();
        }
    }

    /// What stands after the last line: no empty line follows it.
    pub(super) fn last_gap(&mut self, range: Range<usize>, first: bool) {
        self.between(range, first);
    }

    /// Writes comments and docs, and gives the number of line ends after the last of them.
    fn between(&mut self, range: Range<usize>, first: bool) -> usize {
        // At the start of a file there is no line to stand behind.
        let mut same_line = !self.out.is_empty();
        let mut newlines = 0;
        let mut wrote = !first;
        for index in range {
            let token = self.parser.scan.tokens[index];
            let text = self.parser.scan.word(index);
            match token.kind {
                Kind::Newline => {
                    newlines += 1;
                    same_line = false;
                    continue;
                }
                Kind::Comment if same_line => {
                    self.behind(text);
                    wrote = true;
                    newlines = 0;
                    continue;
                }
                Kind::Comment | Kind::Doc | Kind::FileDoc => {
                    if newlines > 1 && wrote {
                        self.empty_line();
                    }
                }
                _ => continue,
            }
            let line = match token.kind {
                Kind::Doc => doc(text, "///"),
                Kind::FileDoc => doc(text, "//!"),
                _ => text.to_owned(),
            };
            self.line(&line);
            // Docs stand right above what they document.
            wrote = token.kind != Kind::Doc;
            newlines = 0;
        }
        if wrote { newlines } else { 0 }
    }

    /// Adds a comment to the last line.
    pub(super) fn behind(&mut self, comment: &str) {
        self.out.truncate(self.out.trim_end_matches('\n').len());
        self.out.push(' ');
        self.out.push_str(comment);
        self.out.push('\n');
    }

    fn empty_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Writes the comments in the middle of a line above it.
    pub(super) fn hoist(&mut self, range: &Range<usize>) {
        for index in range.clone() {
            if self.parser.scan.kind(index) == Some(Kind::Comment) {
                let comment = self.parser.scan.word(index);
                self.line(comment);
            }
        }
    }
}

fn doc(line: &str, marker: &str) -> String {
    format!("{marker} {}", doc_line(line, marker)).trim_end().to_owned()
}
