//! From a file's text to its tree, with all its mistakes.

use crate::build::Builder;
use crate::cut;
use crate::error::SyntaxError;
use crate::parser::{Rule, pairs};
use crate::span::{Source, Span};
use crate::tree::{Capture, Expr, Family, File, Item, Sigil, Strategy};

/// Parses a file. The tree holds every item that could be read; the errors are in the order of the text.
pub fn parse(source: &Source) -> (File, Vec<SyntaxError>) {
    let text: &str = &source.text;
    let mut parser = Parser { text, errors: Vec::new() };
    let doc: Vec<String> = text
        .lines()
        .take_while(|line| line.trim().is_empty() || line.starts_with("//"))
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned())
        .collect();
    let start = file_start(text);
    let items = parser.items(Span::new(start, text.len()), 0);
    parser.errors.sort_by_key(|error| error.span);
    (File { doc, items }, parser.errors)
}

/// Where the file's own docs end.
fn file_start(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let is_doc = trimmed.starts_with("///") && !trimmed.starts_with("////");
        if !(trimmed.is_empty() || trimmed.starts_with("//") && !is_doc) {
            break;
        }
        at += line.len();
    }
    at
}

struct Parser<'a> {
    text: &'a str,
    errors: Vec<SyntaxError>,
}

impl<'a> Parser<'a> {
    fn items(&mut self, span: Span, depth: usize) -> Vec<Item> {
        let (cuts, errors) = cut::items(self.text, span);
        let broken = errors.iter().any(|error| error.code == "relo::syntax::nesting");
        // Errors of brackets inside a block were found when the block itself was cut.
        if depth == 0 {
            self.errors.extend(errors);
        }
        if broken {
            return Vec::new();
        }
        cuts.into_iter().flat_map(|cut| self.item(cut, depth)).collect()
    }

    fn item(&mut self, cut: Span, depth: usize) -> Vec<Item> {
        match word_after_docs(&self.text[cut.range()]) {
            "strategy" => self.strategy(cut, depth).map(Item::Strategy).into_iter().collect(),
            "for" => self.family(cut, depth).map(Item::Family).into_iter().collect(),
            _ => self.plain(cut).unwrap_or_default(),
        }
    }

    fn plain(&mut self, cut: Span) -> Option<Vec<Item>> {
        let pairs = self.checked(Rule::items, cut)?;
        let mut builder = Builder::new(self.text, cut.start);
        let items = pairs.into_iter().filter_map(|pair| builder.item(pair)).collect();
        self.errors.append(&mut builder.errors);
        Some(items)
    }

    /// Parses, and reports an error unless brackets or quotes in the same place were reported already.
    fn checked(&mut self, rule: Rule, span: Span) -> Option<Vec<crate::parser::Pair<'a>>> {
        match pairs(rule, self.text, span) {
            Ok(pairs) => Some(pairs),
            Err(error) => {
                let known = self.errors.iter().any(|known| {
                    known.code != error.code && span.start <= known.span.start && known.span.start < span.end
                });
                if !known {
                    self.errors.push(error);
                }
                None
            }
        }
    }

    /// `strategy name {` as one piece, what is inside as items of their own.
    fn strategy(&mut self, cut: Span, depth: usize) -> Option<Strategy> {
        let text = self.text;
        let (head, body, end) = self.halves(cut, 1)?;
        let pairs = pairs(Rule::strategy_head, text, head).map_err(|error| self.errors.push(error)).ok()?;
        let mut builder = Builder::new(text, head.start);
        let (doc, name) = builder.strategy_head(pairs)?;
        let mut strategy = Strategy {
            doc,
            name,
            loader: None,
            sites: Vec::new(),
            portable: None,
            items: Vec::new(),
            span: Span::new(cut.start, end),
        };
        for item in self.items(body, depth + 1) {
            match item {
                Item::Strategy(inner) if inner.name.item.is_empty() => {
                    strategy.loader = inner.loader.or(strategy.loader);
                    strategy.sites.extend(inner.sites);
                    strategy.portable = inner.portable.or(strategy.portable);
                }
                item => strategy.items.push(item),
            }
        }
        Some(strategy)
    }

    /// `for $W in { … } {` as one piece, what is inside as items of their own.
    fn family(&mut self, cut: Span, depth: usize) -> Option<Family<Item>> {
        let text = self.text;
        let (head, body, end) = self.halves(cut, 2)?;
        let pairs = pairs(Rule::family_head, text, head).map_err(|error| self.errors.push(error)).ok()?;
        let mut builder = Builder::new(text, head.start);
        let (variable, values): (Capture, Vec<Expr>) = builder.family_head(pairs)?;
        if variable.sigil != Sigil::Data {
            let error =
                SyntaxError::new("relo::syntax::family", variable.name.span, "a family's variable is data")
                    .help(format!("write `${}`", variable.name.item));
            self.errors.push(error);
        }
        let items = self.items(body, depth + 1);
        Some(Family { variable, values, items, span: Span::new(cut.start, end) })
    }

    /// Splits a block at its `nth` opening brace: the head with the brace, what is inside, where it ends.
    fn halves(&mut self, cut: Span, nth: usize) -> Option<(Span, Span, usize)> {
        let text = self.text;
        let mut at = cut.start;
        for index in 1..=nth {
            let Some(found) = text[at..cut.end].find('{') else {
                let word = word_after_docs(&text[cut.range()]).to_owned();
                let start = cut.start + text[cut.range()].find(&word).unwrap_or(0);
                self.errors.push(
                    SyntaxError::new(
                        "relo::syntax::unexpected",
                        Span::new(start, start + word.len()),
                        format!("`{word}` has no block"),
                    )
                    .help("write its block in braces"),
                );
                return None;
            };
            let open = at + found;
            let close = cut::closing(text, open, cut.end)?;
            if index == nth {
                let rest = Span::new(close + 1, cut.end);
                let rest_items = text[rest.range()].trim();
                if !rest_items.is_empty() && !rest_items.starts_with("//") {
                    let start = close + 1 + text[rest.range()].find(rest_items).unwrap_or(0);
                    let found = rest_items.lines().next().unwrap_or_default();
                    self.errors.push(
                        SyntaxError::new(
                            "relo::syntax::unexpected",
                            Span::new(start, start + found.len()),
                            "this stands after the block",
                        )
                        .help("begin a new line"),
                    );
                }
                return Some((Span::new(cut.start, open + 1), Span::new(open + 1, close), close + 1));
            }
            at = close + 1;
        }
        None
    }
}

/// The first word of an item, docs and comments apart.
fn word_after_docs(item: &str) -> &str {
    let line = item
        .lines()
        .map(str::trim_start)
        .find(|line| !line.is_empty() && !line.starts_with("//"))
        .unwrap_or_default();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(line.len());
    &line[..end]
}
