//! Cuts a text into items, the inside of a rule into blocks, and the inside of a block into lines, without
//! understanding them: so that what is wrong in one hides no other.

use std::ops::Range;

use crate::lex::{Bracket, Kind};
use crate::scan::Scan;

/// Operators that are words: a line goes on before and after them, after `not` only.
const OPERATORS: [&str; 8] = ["or", "and", "in", "starts_with", "ends_with", "contains", "matches", "not"];

/// The words inside of items of one line.
const LINKS: [&str; 3] = ["over", "because", "implies"];

/// Signs that a line goes on before and after.
const JOINS: [&str; 15] = [",", "=", ":", "+", "-", "==", "!=", "<", "<=", ">", ">=", "->", "=>", "&&", "||"];

/// An item or block: its first and last tokens are significant ones.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// Its doc comments.
    pub(crate) docs: Vec<usize>,
    /// The item, docs apart.
    pub(crate) tokens: Range<usize>,
    /// The brace that opens its body.
    pub(crate) body: Option<usize>,
}

impl Cut {
    /// What stands before the body.
    pub(crate) fn head(&self, scan: &Scan) -> Range<usize> {
        let end = self.body.unwrap_or(self.tokens.end);
        let last = (self.tokens.start..end).rev().find(|index| scan.is_significant(*index));
        self.tokens.start..last.map_or(self.tokens.start, |last| last + 1)
    }
}

/// The items in a range.
pub(crate) fn items(scan: &Scan, range: Range<usize>) -> Vec<Cut> {
    let mut items = Vec::new();
    let mut docs = Vec::new();
    let mut at = range.start;
    while at < range.end {
        match scan.tokens[at].kind {
            Kind::Doc => docs.push(at),
            Kind::Newline | Kind::Comment | Kind::FileDoc => {}
            _ if scan.is_sign(at, ";") => {}
            _ => {
                let cut = item(scan, at..range.end, std::mem::take(&mut docs));
                at = cut.tokens.end;
                items.push(cut);
                continue;
            }
        }
        at += 1;
    }
    if !docs.is_empty() {
        items.push(Cut { docs, tokens: range.end..range.end, body: None });
    }
    items
}

fn item(scan: &Scan, range: Range<usize>, docs: Vec<usize>) -> Cut {
    let braces = match scan.word(range.start) {
        "pack" | "phase" | "use" | "param" | "disjoint" | "prefer" | "loader" | "sites" | "portable" => 0,
        "for" => 2,
        _ => 1,
    };
    let (mut seen, mut at, mut last) = (0, range.start, range.start);
    while at < range.end {
        match scan.tokens[at].kind {
            Kind::Open(Bracket::Curly) => {
                seen += 1;
                last = scan.after(at).max(at + 1) - 1;
                if seen == braces {
                    return Cut { docs, tokens: range.start..last + 1, body: Some(at) };
                }
                at = last;
            }
            Kind::Open(_) => {
                last = scan.after(at).max(at + 1) - 1;
                at = last;
            }
            Kind::Newline => match next_line(scan, last, at..range.end, &LINKS) {
                Some(next) => {
                    at = next;
                    continue;
                }
                None => break,
            },
            Kind::Comment => {}
            Kind::Doc | Kind::FileDoc => break,
            _ if scan.is_sign(at, ";") => break,
            _ => last = at,
        }
        at += 1;
    }
    Cut { docs, tokens: range.start..last + 1, body: None }
}

/// Where the line that ends at the start of a range goes on, if it does.
fn next_line(scan: &Scan, last: usize, rest: Range<usize>, links: &[&str]) -> Option<usize> {
    let next = rest.into_iter().find(|at| !matches!(scan.tokens[*at].kind, Kind::Newline | Kind::Comment))?;
    let joins = |index: usize| match scan.tokens[index].kind {
        Kind::Sign => JOINS.contains(&scan.word(index)),
        Kind::Word => OPERATORS.contains(&scan.word(index)) || links.contains(&scan.word(index)),
        _ => false,
    };
    let goes_on = scan.is_open(next) || joins(last) || joins(next) && !scan.is_word(next, "not");
    (scan.is_significant(next) && goes_on).then_some(next)
}

/// The blocks of a rule.
pub(crate) fn blocks(scan: &Scan, range: Range<usize>) -> Vec<Cut> {
    let mut blocks = Vec::new();
    let mut docs = Vec::new();
    let mut at = range.start;
    while at < range.end {
        match scan.tokens[at].kind {
            Kind::Doc | Kind::FileDoc => docs.push(at),
            Kind::Newline | Kind::Comment => {}
            _ if scan.is_sign(at, ";") => {}
            _ => {
                let cut = block(scan, at..range.end, std::mem::take(&mut docs));
                at = cut.tokens.end;
                blocks.push(cut);
                continue;
            }
        }
        at += 1;
    }
    if !docs.is_empty() {
        blocks.push(Cut { docs, tokens: range.end..range.end, body: None });
    }
    blocks
}

fn block(scan: &Scan, range: Range<usize>, docs: Vec<usize>) -> Cut {
    let (mut at, mut last) = (range.start, range.start);
    while at < range.end {
        match scan.tokens[at].kind {
            Kind::Open(Bracket::Curly) => {
                let end = scan.after(at).max(at + 1);
                return Cut { docs, tokens: range.start..end, body: Some(at) };
            }
            Kind::Open(_) => {
                last = scan.after(at).max(at + 1) - 1;
                at = last;
            }
            Kind::Text if scan.is_word(range.start, "reject") => {
                last = at;
                break;
            }
            Kind::Newline => {
                let next = (at..range.end)
                    .find(|next| !matches!(scan.tokens[*next].kind, Kind::Newline | Kind::Comment))
                    .filter(|next| {
                        scan.is_open(*next)
                            || scan.is_word(last, "reject") && scan.kind(*next) == Some(Kind::Text)
                    });
                match next {
                    Some(next) => {
                        at = next;
                        continue;
                    }
                    None => break,
                }
            }
            Kind::Comment => {}
            Kind::Doc | Kind::FileDoc => break,
            _ if scan.is_sign(at, ";") => break,
            _ => last = at,
        }
        at += 1;
    }
    Cut { docs, tokens: range.start..last + 1, body: None }
}

/// The lines of a block.
pub(crate) fn lines(scan: &Scan, range: Range<usize>) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    // The first and the last token of the line that is being read.
    let mut line: Option<(usize, usize)> = None;
    let mut at = range.start;
    while at < range.end {
        match scan.tokens[at].kind {
            Kind::Newline => {
                if let Some((_, last)) = line
                    && let Some(next) = next_line(scan, last, at..range.end, &[])
                {
                    at = next;
                    continue;
                }
                lines.extend(line.take());
            }
            Kind::Comment | Kind::Doc | Kind::FileDoc => {}
            _ if scan.is_sign(at, ";") => lines.extend(line.take()),
            kind => {
                let end = if matches!(kind, Kind::Open(_)) { scan.after(at).max(at + 1) } else { at + 1 };
                line = Some((line.map_or(at, |(first, _)| first), end - 1));
                at = end;
                continue;
            }
        }
        at += 1;
    }
    lines.extend(line);
    lines.into_iter().map(|(first, last)| first..last + 1).collect()
}
