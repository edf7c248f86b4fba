//! Mistakes in the heads of items and blocks: names, reasons, messages.

use super::Failed;
use crate::error::SyntaxError;
use crate::lex::Kind;
use crate::parser::{CAPTURE, NAME, Rule, TEXT};
use crate::span::Span;

pub(super) fn mistake(failed: &Failed) -> Option<SyntaxError> {
    let keyword = failed.scan.word(failed.tokens.start);
    if failed.is_operation() || matches!(failed.rule, Rule::clause | Rule::hole) {
        return None;
    }
    if failed.expects("`because`") {
        return Some(
            failed
                .error("relo::syntax::because", format!("this `{keyword}` gives no reason"))
                .label("the reason is missing")
                .help("say why, for those who read it later: `because \"…\"`"),
        );
    }
    dashed(failed)
        .or_else(|| named(failed, keyword))
        .or_else(|| quoted(failed, keyword))
        .or_else(|| parameter(failed))
        .or_else(|| capture(failed))
        .or_else(|| followed(failed, keyword))
}

/// `my-rule`, `my.rule`.
fn dashed(failed: &Failed) -> Option<SyntaxError> {
    let found = failed.found?;
    let before = if failed.within { found } else { failed.before()? };
    let adjacent = failed.scan.tokens[before].span.end == failed.span.start || failed.within;
    let is_dash = failed.found_text() == "-" || failed.within && failed.text.starts_with("`.");
    if !adjacent || !is_dash || failed.scan.kind(before) != Some(Kind::Word) {
        return None;
    }
    let start = failed.scan.tokens[before].span.start;
    let rest = &failed.scan.text[start..];
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c))).unwrap_or(rest.len());
    let name = &rest[..end];
    let kind = if name.contains('-') { "dashes" } else { "dots" };
    Some(
        SyntaxError::new(
            "relo::syntax::name",
            Span::new(start, start + end),
            format!("names have no {kind}"),
        )
        .label("not a name")
        .help(format!("write `{}`", name.replace(['-', '.'], "_"))),
    )
}

/// A name is missing, or something else stands in its place.
fn named(failed: &Failed, keyword: &str) -> Option<SyntaxError> {
    if !failed.expects(NAME) {
        return None;
    }
    let what = match failed.rule {
        Rule::sites => "`sites` names the kinds of site, such as `slot` and `record`",
        Rule::loader => "`loader` names an action, such as `write`",
        Rule::attributes_policy => "`attributes` is followed by `carry` or `drop`",
        Rule::prefer => "`prefer` stands between the names of two rules",
        _ => "",
    };
    let error = match failed.found_kind() {
        Some(Kind::Text) => failed
            .error("relo::syntax::name", "a name has no quotes")
            .label("a text")
            .help(format!("write `{}`", failed.found_text().trim_matches('"'))),
        Some(Kind::Capture) => failed
            .error("relo::syntax::name", "a name has no sigil here")
            .label("a capture")
            .help(format!("write `{}`", &failed.found_text()[1..])),
        None | Some(Kind::Open(_)) => {
            let error = failed
                .error("relo::syntax::name", format!("a name is missing after `{keyword}`"))
                .label(format!("expected a name, found {}", failed.text));
            if what.is_empty() { error.help(format!("write `{keyword} name`")) } else { error }
        }
        _ => return None,
    };
    Some(if what.is_empty() { error } else { error.help(what) })
}

/// A text in quotes is missing.
fn quoted(failed: &Failed, keyword: &str) -> Option<SyntaxError> {
    if !failed.expects(TEXT) {
        return None;
    }
    let (code, message, help) = match failed.rule {
        Rule::test_head if failed.found_kind() == Some(Kind::Word) => (
            "relo::syntax::test",
            "the name of a test stands in quotes".to_owned(),
            format!("write `test \"{}\"`", failed.found_text()),
        ),
        Rule::test_head => (
            "relo::syntax::test",
            "this test has no name".to_owned(),
            "say what it tests: `test \"a load of a slot\" { … }`".to_owned(),
        ),
        Rule::reject => (
            "relo::syntax::reject",
            "this `reject` has no message".to_owned(),
            "say what is wrong and what to do: `reject \"`{$r}` can't be stored here\"`".to_owned(),
        ),
        Rule::prefer | Rule::override_head => (
            "relo::syntax::because",
            format!("the reason of this `{keyword}` is not a text"),
            "write it in quotes: `because \"…\"`".to_owned(),
        ),
        _ => return None,
    };
    Some(failed.error(code, message).label(format!("expected a text, found {}", failed.text)).help(help))
}

/// `param name = "…"`, `param name: "…"`.
fn parameter(failed: &Failed) -> Option<SyntaxError> {
    if failed.rule != Rule::param {
        return None;
    }
    if failed.expects("`:`") {
        return Some(
            failed
                .error("relo::syntax::param", "this parameter has no type")
                .label("a type is missing before this")
                .help("write `param name: string`; types are `string`, `int`, `bool` and lists such as `[string]`"),
        );
    }
    None
}

/// A capture without its sigil.
fn capture(failed: &Failed) -> Option<SyntaxError> {
    if !failed.expects(CAPTURE) || failed.found_kind() != Some(Kind::Word) {
        return None;
    }
    let name = failed.found_text();
    let help = match failed.rule {
        Rule::family_head => format!("write `${name}`"),
        _ => format!("write `%{name}` for a value, `@{name}` for a symbol or `${name}` for other data"),
    };
    Some(
        failed
            .error("relo::syntax::sigil", format!("`{name}` has no sigil"))
            .label("expected a capture")
            .help(help),
    )
}

/// Something stands where the head should have ended.
fn followed(failed: &Failed, keyword: &str) -> Option<SyntaxError> {
    if !failed.may_end
        || failed.found.is_none()
        || failed.expected.iter().any(|word| *word != crate::parser::COMMA)
    {
        return None;
    }
    let has_comma = failed.expects(crate::parser::COMMA);
    let help = if has_comma {
        "separate names with `,`, and begin a new line after the last"
    } else {
        "begin a new line"
    };
    Some(
        failed
            .error("relo::syntax::separator", format!("this `{keyword}` should end before {}", failed.text))
            .label("does not belong to it")
            .help(help),
    )
}
