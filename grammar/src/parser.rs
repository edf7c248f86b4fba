//! The only file that names pest: from a piece of text to pairs, and pest's errors in the language's own words.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};

use crate::error::SyntaxError;
use crate::span::Span;

#[derive(pest_derive::Parser)]
#[grammar = "../relo.pest"]
struct Grammar;

/// A piece of text that matched a rule of the grammar.
pub(crate) type Pair<'a> = pest::iterators::Pair<'a, Rule>;

/// The pairs inside one, keywords apart: those only say what the pair is.
pub(crate) fn inner_of(pair: Pair) -> impl Iterator<Item = Pair> {
    pair.into_inner().filter(|pair| keyword(pair.as_rule()).is_none())
}

/// Parses `text[span]`; the pairs' places count from the start of the span.
pub(crate) fn pairs(rule: Rule, text: &str, span: Span) -> Result<Vec<Pair<'_>>, SyntaxError> {
    match Grammar::parse(rule, &text[span.range()]) {
        Ok(pairs) => Ok(pairs.collect()),
        Err(error) => {
            let at = span.start
                + match error.location {
                    InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
                };
            let expected = match &error.variant {
                ErrorVariant::ParsingError { positives, .. } => expectations(positives),
                ErrorVariant::CustomError { .. } => Vec::new(),
            };
            Err(unexpected(text, at, span.end, &expected))
        }
    }
}

/// "expected a, b or c, found `x`", with help where the found text tells what was meant.
fn unexpected(text: &str, at: usize, end: usize, expected: &[&'static str]) -> SyntaxError {
    let (found, place) = token(text, at, end);
    let wanted = match expected {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    };
    let message = format!("expected {wanted}, found {found}");
    let error = SyntaxError::new("relo::syntax::unexpected", place, message).label(format!("not {found}"));
    match hint(text, at, place, expected) {
        Some(help) => error.help(help),
        None => error,
    }
}

/// The token at a place, described, and its span.
fn token(text: &str, at: usize, end: usize) -> (String, Span) {
    let rest = &text[at..end];
    let skipped = rest.len() - rest.trim_start().len();
    let (at, rest) = (at + skipped, rest.trim_start());
    let Some(first) = rest.chars().next() else {
        let last = text[..end].trim_end().len();
        return ("the end".to_owned(), Span::new(last.saturating_sub(1), last));
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let length = match first {
        '%' | '@' | '$' => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
        '"' => 1 + rest[1..].find(['"', '\n']).map_or(rest.len() - 1, |length| length + 1),
        c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
        '-' if rest.starts_with("->") => 2,
        c => c.len_utf8(),
    };
    let length = length.min(rest.len());
    (format!("`{}`", &rest[..length]), Span::new(at, at + length))
}

fn hint(text: &str, at: usize, place: Span, expected: &[&'static str]) -> Option<String> {
    let found = &text[place.range()];
    let words = ["match", "where", "rewrite", "reject", "attributes", "test"];
    if found.starts_with("->") {
        return Some("a result's type stands after a colon: `: $T`".to_owned());
    }
    if found == "{" && text[..at].trim_end().ends_with('}') {
        return Some("a block has one pair of braces".to_owned());
    }
    if found == "&" || found == "|" {
        return Some("conditions are joined with `and` and `or`, or stand on lines of their own".to_owned());
    }
    if found == "!" && !expected.contains(&"an attribute") {
        return Some("write `not` for a condition that must not hold".to_owned());
    }
    if expected.iter().any(|wanted| wanted.contains("`match`"))
        && let Some(near) = near(found, &words)
    {
        return Some(format!("did you mean `{near}`?"));
    }
    if expected == ["`because`"] {
        return Some("say why: `because \"…\"`".to_owned());
    }
    if found.starts_with('"') && text[..at].trim_end().ends_with('{') {
        return None;
    }
    if expected.contains(&"a capture") && found.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Some(format!(
            "captures have a sigil: `%{found}` (value), `@{found}` (symbol) or `${found}` (data)"
        ));
    }
    None
}

/// One edit away, or a prefix: enough for the few words of a block.
fn near<'a>(found: &str, words: &[&'a str]) -> Option<&'a str> {
    words.iter().copied().find(|word| {
        found.len() >= 3 && (word.starts_with(found) || found.starts_with(word))
            || found.len() == word.len()
                && found.chars().zip(word.chars()).filter(|(a, b)| a != b).count() <= 2
    })
}

/// What the grammar's rules are called in messages; one word for what authors see as one thing.
fn expectations(rules: &[Rule]) -> Vec<&'static str> {
    let mut expected: Vec<&'static str> =
        rules.iter().filter_map(|wanted| describe(*wanted).or_else(|| keyword(*wanted))).collect();
    expected.sort_unstable();
    expected.dedup();
    // An expression can go on nearly anywhere: say so only where nothing else can come.
    if expected.len() > 1 {
        expected.retain(|wanted| *wanted != "an operator");
    }
    expected
}

/// A keyword, in the backquotes of messages.
fn keyword(of: Rule) -> Option<&'static str> {
    Some(match of {
        Rule::kw_pack => "`pack`",
        Rule::kw_phase => "`phase`",
        Rule::kw_use => "`use`",
        Rule::kw_param => "`param`",
        Rule::kw_disjoint => "`disjoint`",
        Rule::kw_implies => "`implies`",
        Rule::kw_fragment => "`fragment`",
        Rule::kw_rule => "`rule`",
        Rule::kw_prefer => "`prefer`",
        Rule::kw_over => "`over`",
        Rule::kw_because => "`because`",
        Rule::kw_override => "`override`",
        Rule::kw_match => "`match`",
        Rule::kw_where => "`where`",
        Rule::kw_rewrite => "`rewrite`",
        Rule::kw_reject => "`reject`",
        Rule::kw_attributes => "`attributes`",
        Rule::kw_test => "`test`",
        Rule::kw_loader => "`loader`",
        Rule::kw_sites => "`sites`",
        Rule::kw_strategy => "`strategy`",
        Rule::kw_for => "`for`",
        Rule::kw_in => "`in`",
        Rule::kw_site => "`site`",
        Rule::kw_erase => "`erase`",
        _ => return None,
    })
}

fn describe(expected: Rule) -> Option<&'static str> {
    Some(match expected {
        Rule::EOI => return None,
        Rule::ident | Rule::path | Rule::dotted => "a name",
        Rule::operation_name | Rule::operation | Rule::head => "an operation such as `llvm.load`",
        Rule::string => "text in quotes",
        Rule::capture | Rule::value | Rule::results => "a capture",
        Rule::symbol => "a symbol such as `@g`",
        Rule::doc => return None,
        Rule::pack
        | Rule::phase
        | Rule::use_pack
        | Rule::param
        | Rule::disjoint
        | Rule::implies
        | Rule::fragment
        | Rule::rule_item
        | Rule::prefer
        | Rule::override_rule
        | Rule::strategy_head
        | Rule::family_head => "an item such as `rule` or `strategy`",
        Rule::loader | Rule::sites | Rule::portable => "`loader`, `sites` or `portable`",
        Rule::match_block
        | Rule::where_block
        | Rule::rewrite_block
        | Rule::reject
        | Rule::attributes_policy
        | Rule::test => "`match`, `where`, `rewrite`, `reject`, `attributes` or `test`",
        Rule::test_body | Rule::test_text => "the test's module in braces",
        Rule::expectation => "`unchanged`, `rejects` or `todo`",
        Rule::bind | Rule::expr | Rule::primary | Rule::group | Rule::word => "an expression",
        Rule::negation => return None,
        Rule::site | Rule::erase | Rule::replace | Rule::build_call => "a statement",
        Rule::operand | Rule::operands | Rule::no_operands | Rule::nested => "an operand",
        Rule::types => "`: type`",
        Rule::attributes => "`{ attributes }`",
        Rule::attribute | Rule::is | Rule::absent => "an attribute",
        Rule::initializer => "`= initializer`",
        Rule::or
        | Rule::and
        | Rule::equal
        | Rule::not_equal
        | Rule::less
        | Rule::less_equal
        | Rule::greater
        | Rule::greater_equal
        | Rule::in_list
        | Rule::starts_with
        | Rule::ends_with
        | Rule::contains
        | Rule::matches
        | Rule::add
        | Rule::subtract => "an operator",
        Rule::param_kind => "`string`, `int`, `bool` or `[string]`",
        Rule::mlir_type => "a type",
        Rule::rest => "`..`",
        Rule::wild => "`_`",
        Rule::call | Rule::callee | Rule::bare_call | Rule::bare_arguments => "a call",
        _ => return None,
    })
}
