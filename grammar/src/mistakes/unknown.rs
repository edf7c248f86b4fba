//! Items and blocks that begin with a word that nothing begins with.

use crate::cut::Cut;
use crate::error::SyntaxError;
use crate::lex::Kind;
use crate::rule;
use crate::scan::Scan;

const ITEMS: [&str; 13] = [
    "pack", "phase", "use", "param", "rule", "fragment", "strategy", "override", "prefer", "disjoint",
    "loader", "sites", "portable",
];

/// What other languages call the blocks of a rule.
const FOREIGN: [(&str, &str); 9] = [
    ("if", "where"),
    ("when", "where"),
    ("require", "where"),
    ("pattern", "match"),
    ("replace", "rewrite"),
    ("with", "rewrite"),
    ("then", "rewrite"),
    ("error", "reject"),
    ("fail", "reject"),
];

/// The word that was likely meant.
pub(crate) fn near<'w>(found: &str, words: &[&'w str]) -> Option<&'w str> {
    let found = found.to_lowercase();
    words
        .iter()
        .map(|word| (strsim::damerau_levenshtein(&found, word), *word))
        .filter(|(distance, word)| {
            *distance <= word.len().max(3) / 3
                || found.len() > 2 && (word.starts_with(&found) || found.starts_with(word))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// An item that begins with no keyword. Nothing where a mistake at the place is known already.
pub(crate) fn unknown_item(scan: &Scan, cut: &Cut) -> Option<SyntaxError> {
    let first = cut.tokens.start;
    if scan.tokens[first].bad {
        return None;
    }
    let (word, span) = (scan.word(first), scan.tokens[first].span);
    let error = |message: String| SyntaxError::new("relo::syntax::keyword", span, message);
    if scan.kind(first) != Some(Kind::Word) {
        return Some(
            SyntaxError::new("relo::syntax::unexpected", span, format!("expected an item, found `{word}`"))
                .label("no item begins with this")
                .help("items begin with a word such as `rule`, `strategy`, `fragment`, `param` or `prefer`"),
        );
    }
    if rule::KEYWORDS.contains(&word) {
        return Some(
            error(format!("`{word}` stands outside of a rule"))
                .label("not in a rule")
                .help("put it between the braces of a rule: `rule name { … }`"),
        );
    }
    if matches!(word, "loader" | "sites" | "portable") {
        return Some(
            error(format!("`{word}` stands outside of a strategy"))
                .label("not in a strategy")
                .help("put it between the braces of a strategy: `strategy name { … }`"),
        );
    }
    let error = error(format!("`{word}` is no keyword")).label("unknown keyword");
    Some(match near(word, &ITEMS) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(
            "items begin with `pack`, `phase`, `use`, `param`, `rule`, `fragment`, `strategy`, `for`, `override`, \
             `prefer` or `disjoint`",
        ),
    })
}

/// A block of a rule that begins with no keyword.
pub(crate) fn unknown_block(scan: &Scan, cut: &Cut) -> Option<SyntaxError> {
    let first = cut.tokens.start;
    if scan.tokens[first].bad {
        return None;
    }
    let (word, span) = (scan.word(first), scan.tokens[first].span);
    if scan.kind(first) != Some(Kind::Word) {
        return Some(SyntaxError::new("relo::syntax::unexpected",
            span,
            format!("expected a block, found `{word}`"),
        )
        .label("no block begins with this")
        .help(
            "a rule consists of `match { … }`, `where { … }`, `rewrite { … }` or `reject \"…\"`, and tests"));
    }
    let error = SyntaxError::new("relo::syntax::keyword", span, format!("a rule has no block `{word}`"))
        .label("unknown block");
    let meant = FOREIGN.iter().find(|(foreign, _)| *foreign == word).map(|(_, ours)| *ours);
    if let Some(near) = meant.or_else(|| near(word, &rule::KEYWORDS)) {
        return Some(error.help(format!("did you mean `{near}`?")));
    }
    if word.contains('.') {
        return Some(error.help("operations stand in `match { … }` or `rewrite { … }`"));
    }
    Some(
        error.help(
            "the blocks of a rule are `match`, `where`, `rewrite` or `reject`, `attributes` and `test`",
        ),
    )
}
