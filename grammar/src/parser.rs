//! The only file that names pest: from a piece of text to pairs, and what pest expected in the language's own words.

use pest::Parser as _;
use pest::error::{ErrorVariant, InputLocation};

#[derive(pest_derive::Parser)]
#[grammar = "../relo.pest"]
struct Grammar;

/// A piece of text that matched a rule of the grammar.
pub(crate) type Pair<'a> = pest::iterators::Pair<'a, Rule>;

/// Where a piece stops being what it should be, and what would have to follow.
pub(crate) struct Failure {
    /// The byte in the whole text.
    pub(crate) at: usize,
    /// What could stand there, as messages say it.
    pub(crate) expected: Vec<&'static str>,
    /// Whether the piece could end there.
    pub(crate) may_end: bool,
}

/// The pairs inside one. Keywords and punctuation are left out: they only say what the pair is.
pub(crate) fn inner_of(pair: Pair) -> impl Iterator<Item = Pair> {
    pair.into_inner().filter(|pair| {
        let rule = pair.as_rule();
        rule != Rule::EOI && keyword(rule).is_none() && punctuation(rule).is_none()
    })
}

/// Parses a piece that starts at byte `base` of its text; the pair's places count from the start of the piece.
pub(crate) fn parse_piece(rule: Rule, piece: &str, base: usize) -> Result<Pair<'_>, Failure> {
    match Grammar::parse(rule, piece) {
        Ok(mut pairs) => {
            #[cfg(test)]
            tests::note(pairs.clone());
            pairs.next().ok_or(Failure { at: base, expected: Vec::new(), may_end: false })
        }
        Err(error) => {
            let at = match error.location {
                InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
            };
            let wanted = match error.variant {
                ErrorVariant::ParsingError { positives, .. } => positives,
                ErrorVariant::CustomError { .. } => Vec::new(),
            };
            Err(Failure { at: base + at, expected: in_words(&wanted), may_end: wanted.contains(&Rule::EOI) })
        }
    }
}

/// What the grammar's rules are called in messages; one word for what authors see as one thing.
fn in_words(rules: &[Rule]) -> Vec<&'static str> {
    let mut expected: Vec<&'static str> = rules
        .iter()
        .filter_map(|rule| keyword(*rule).or_else(|| punctuation(*rule)).or_else(|| describe(*rule)))
        .collect();
    expected.sort_unstable();
    expected.dedup();
    let has = |expected: &[&str], word: &str| expected.contains(&word);
    if has(&expected, EXPRESSION) {
        expected.retain(|word| !["a call", "`_`", "`not`", CAPTURE, "a symbol such as `@g`"].contains(word));
    }
    if has(&expected, OPERAND) {
        expected.retain(|word| ![CAPTURE, "`_`", "a call", "`..`"].contains(word));
    }
    if has(&expected, OPERATION) {
        expected.retain(|word| ![CAPTURE, "`_`", "a call", "a name"].contains(word));
    }
    expected
}

const EXPRESSION: &str = "an expression";
const OPERAND: &str = "an operand";
pub(crate) const OPERATION: &str = "an operation such as `llvm.load`";
pub(crate) const CAPTURE: &str = "a capture such as `%x`, `@g` or `$r`";
pub(crate) const OPERATOR: &str = "an operator";
pub(crate) const NAME: &str = "a name";
pub(crate) const TEXT: &str = "a text in quotes";
pub(crate) const COMMA: &str = "`,`";

fn keyword(rule: Rule) -> Option<&'static str> {
    Some(match rule {
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
        Rule::kw_reject => "`reject`",
        Rule::kw_attributes => "`attributes`",
        Rule::kw_test => "`test`",
        Rule::kw_loader => "`loader`",
        Rule::kw_sites => "`sites`",
        Rule::kw_portable => "`portable`",
        Rule::kw_strategy => "`strategy`",
        Rule::kw_for => "`for`",
        Rule::kw_in => "`in`",
        Rule::kw_site => "`site`",
        Rule::kw_erase => "`erase`",
        _ => return None,
    })
}

fn punctuation(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::comma => COMMA,
        Rule::colon => "`:`",
        Rule::equals => "`=`",
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::close_square => "`]`",
        Rule::open_brace => "`{`",
        Rule::close_brace => "`}`",
        Rule::open_angle => "`<`",
        Rule::close_angle => "`>`",
        _ => return None,
    })
}

fn describe(expected: Rule) -> Option<&'static str> {
    Some(match expected {
        Rule::ident | Rule::path | Rule::dotted => NAME,
        Rule::operation_name | Rule::operation | Rule::match_line => OPERATION,
        Rule::string => TEXT,
        Rule::capture | Rule::value | Rule::results => CAPTURE,
        Rule::symbol => "a symbol such as `@g`",
        Rule::expectation => "`unchanged`, `rejects` or `todo`",
        Rule::bind | Rule::clause => "a condition",
        Rule::expr | Rule::primary | Rule::group | Rule::sum | Rule::word => EXPRESSION,
        Rule::site | Rule::erase | Rule::replace | Rule::build_call | Rule::statement => "a statement",
        Rule::operand | Rule::operands | Rule::no_operands | Rule::nested => OPERAND,
        Rule::types => "`:` and types",
        Rule::attributes => "`{`",
        Rule::attribute | Rule::is | Rule::absent => "an attribute",
        Rule::initializer => "`=` and an initializer",
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
        | Rule::subtract => OPERATOR,
        Rule::param_kind => "`string`, `int`, `bool` or a list of one as `[string]`",
        Rule::mlir_type => "a type",
        Rule::rest => "`..`",
        Rule::wild => "`_`",
        Rule::negation => "`not`",
        Rule::call | Rule::callee | Rule::bare_call | Rule::bare_callee => "a call",
        Rule::integer => "a number",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use pest::iterators::Pairs;

    use super::Rule;
    use crate::span::Source;

    thread_local! {
        /// The rules of the grammar that texts were made of so far.
        static SEEN: RefCell<BTreeSet<Rule>> = RefCell::default();
    }

    pub(super) fn note(pairs: Pairs<'_, Rule>) {
        SEEN.with_borrow_mut(|seen| seen.extend(pairs.flatten().map(|pair| pair.as_rule())));
    }

    /// What stands between and inside words, and what only gathers alternatives: pest tells nobody of these.
    const UNSEEN: [Rule; 9] = [
        Rule::WHITESPACE,
        Rule::COMMENT,
        Rule::letter,
        Rule::bound,
        Rule::tail,
        Rule::infix,
        Rule::reserved,
        Rule::angles,
        Rule::quoted,
    ];

    #[test]
    fn the_reference_has_an_example_of_everything() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/language.md");
        let text = std::fs::read_to_string(path).expect("it is there");
        SEEN.with_borrow_mut(BTreeSet::clear);
        for example in text.split("```relo\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let (_, errors) = crate::parse(&Source::new("docs/language.md", example));
            assert!(errors.is_empty(), "{errors:#?}");
        }
        let seen = SEEN.with_borrow(BTreeSet::clone);
        let all = Rule::all_rules().iter().filter(|rule| !UNSEEN.contains(rule));
        let missing: Vec<&Rule> = all.filter(|rule| !seen.contains(rule)).collect();
        assert!(missing.is_empty(), "docs/language.md has no example of {missing:?}");
    }
}
