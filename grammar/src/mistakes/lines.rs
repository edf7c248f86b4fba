//! Mistakes in the lines of blocks: operations, conditions, statements and the expressions in them.

use super::Failed;
use crate::error::SyntaxError;
use crate::lex::{Bracket, Kind};
use crate::parser::{COMMA, OPERATION, Rule};

pub(super) fn mistake(failed: &Failed) -> Option<SyntaxError> {
    foreign(failed)
        .or_else(|| joined(failed))
        .or_else(|| compared(failed))
        .or_else(|| attribute(failed))
        .or_else(|| operation_name(failed))
        .or_else(|| operand(failed))
        .or_else(|| separator(failed))
}

/// Signs of other languages.
fn foreign(failed: &Failed) -> Option<SyntaxError> {
    let error = |message: &str| failed.error("relo::syntax::operator", message);
    Some(match failed.found_text() {
        "->" => failed
            .error("relo::syntax::arrow", "`->` is not part of the language")
            .label("not here")
            .help("types of results stand after a colon, as in `%w = llvm.load %p : i64`; a referent is an attribute"),
        "=>" => failed
            .error("relo::syntax::arrow", "`=>` is not part of the language")
            .label("not here")
            .help("what a rule makes of its match stands in `rewrite { … }`"),
        "&&" | "&" => error("conditions are joined with `and`").label("not an operator").help("write `and`"),
        "||" | "|" => error("conditions are joined with `or`").label("not an operator").help("write `or`"),
        "?" if failed.rule == Rule::clause => error("there is no `?` in conditions")
            .label("not an operator")
            .help("write two rules, one for each case"),
        "*" | "^" | "~" => error("only `+` and `-` compute").label("not an operator").help(
            "what needs more is a native: a Rust function that rules can call",
        ),
        "!" if !failed.in_attributes() => {
            error("conditions are negated with `not`").label("not an operator").help("write `not`")
        }
        "(" => {
            let before = failed.before()?;
            let name = failed.scan.word(before).strip_prefix('!')?;
            let span = failed.scan.tokens[before].span;
            SyntaxError::new("relo::syntax::operator", span, "conditions are negated with `not`")
                .label("read as a type")
                .help(format!("write `not {name}(…)`"))
        }
        _ => return None,
    })
}

/// A `,` at the end of a line joins the next one to it.
fn joined(failed: &Failed) -> Option<SyntaxError> {
    if !failed.is_operation() || failed.around().is_some() {
        return None;
    }
    let comma = (failed.tokens.start..failed.found.unwrap_or(failed.tokens.end)).rev().find(|index| {
        failed.scan.is_sign(*index, ",") && failed.scan.kind(index + 1) == Some(Kind::Newline)
    })?;
    Some(
        SyntaxError::new(
            "relo::syntax::separator",
            failed.scan.tokens[comma].span,
            "this `,` joins two lines",
        )
        .label("the next line belongs to this one")
        .also(failed.span, "so that this does not fit")
        .help("remove the `,`: operations end with the line, or with `;`"),
    )
}

/// `=` and `==` taken for each other.
fn compared(failed: &Failed) -> Option<SyntaxError> {
    match failed.found_text() {
        "=" if matches!(failed.rule, Rule::clause | Rule::hole) => {
            let error = failed.error("relo::syntax::equals", "`=` binds captures, it does not compare");
            Some(error.label("what is left of it is no capture").help("write `==` to compare"))
        }
        "==" if failed.in_attributes() || failed.is_operation() && failed.around().is_none() => Some(
            failed
                .error("relo::syntax::equals", "`==` compares, which only conditions do")
                .label("not here")
                .help("write `=`; a comparison stands in `where { … }`"),
        ),
        _ => None,
    }
}

fn attribute(failed: &Failed) -> Option<SyntaxError> {
    if !failed.in_attributes() {
        return None;
    }
    let before = failed.before()?;
    let name = (failed.tokens.start..before).rev().find(|index| failed.scan.is_significant(*index));
    let text = failed.found_text();
    if failed.scan.is_sign(before, "=") && matches!(text, "}" | ",") {
        let name = failed.scan.word(name?);
        return Some(
            failed
                .error("relo::syntax::attribute", format!("attribute `{name}` has no value"))
                .label("a value is missing before this")
                .help(format!(
                    "write `{name} = …`, `{name} = _` for any value, or `{name}` for a unit attribute"
                )),
        );
    }
    if text == ":" && failed.scan.kind(before) == Some(Kind::Word) {
        let name = failed.scan.word(before);
        return Some(
            failed
                .error("relo::syntax::attribute", "attributes and their values are joined by `=`")
                .label("not here")
                .help(format!("write `{name} = …`")),
        );
    }
    if text == ";" {
        return Some(
            failed
                .error("relo::syntax::separator", "attributes are separated by `,`")
                .label("not a separator here")
                .help("write `,`"),
        );
    }
    None
}

/// `load %p`: an operation has a dialect.
fn operation_name(failed: &Failed) -> Option<SyntaxError> {
    if !failed.is_operation() || !(failed.expects(OPERATION) || failed.expects("a statement")) {
        return None;
    }
    let text = failed.found_text();
    match failed.found_kind() {
        Some(Kind::Word) if failed.rule == Rule::match_line => Some(
            failed
                .error("relo::syntax::operation", format!("`{text}` is no operation: it names no dialect"))
                .label("expected an operation or a fragment")
                .help(format!(
                    "write the full name, as in `llvm.{text}`; a fragment has parentheses: `{text}(…)`"
                )),
        ),
        Some(Kind::Capture) if !text.starts_with('%') && failed.found == Some(failed.tokens.start) => Some(
            failed
                .error("relo::syntax::sigil", format!("`{text}` is no value"))
                .label("results of operations are values")
                .help(format!("write `%{}`; other data is bound in `where {{ … }}`", &text[1..])),
        ),
        _ => None,
    }
}

/// `%a = t.a %w = t.b %a`: the second operation begins at the capture before the second `=`.
fn second_operation(failed: &Failed) -> Option<SyntaxError> {
    let equals = failed.before().filter(|before| failed.scan.is_sign(*before, "="))?;
    let capture = equals.checked_sub(1).filter(|at| failed.scan.kind(*at) == Some(Kind::Capture))?;
    let is_operation =
        |index: usize| failed.scan.kind(index) == Some(Kind::Word) && failed.scan.word(index).contains('.');
    if !is_operation(failed.found?) || !(failed.tokens.start..capture).any(is_operation) {
        return None;
    }
    let text = failed.scan.word(capture);
    Some(
        SyntaxError::new(
            "relo::syntax::separator",
            failed.scan.tokens[capture].span,
            format!("a new line or `;` is missing before `{text}`"),
        )
        .label("the next one begins here")
        .help("write each on a line of its own, or put `;` between them"),
    )
}

fn operand(failed: &Failed) -> Option<SyntaxError> {
    if !failed.is_operation() {
        return None;
    }
    if let Some(error) = second_operation(failed) {
        return Some(error);
    }
    let (text, before) = (failed.found_text(), failed.before()?);
    // `llvm.load(%p)`
    if text == ")"
        && let Some(open) = failed.around()
        && open > 0
        && failed.scan.kind(open - 1) == Some(Kind::Word)
        && failed.scan.word(open - 1).contains('.')
    {
        return Some(
            SyntaxError::new(
                "relo::syntax::operand",
                failed.scan.tokens[open].span,
                "operands have no parentheses around them",
            )
            .label("not here")
            .help(format!("write `{} %operand, …`", failed.scan.word(open - 1))),
        );
    }
    if failed.around().is_some() {
        return None;
    }
    let after_name = failed.scan.kind(before) == Some(Kind::Word) && failed.scan.word(before).contains('.');
    let in_list = failed.scan.is_sign(before, ",") && failed.expects("an operand");
    match failed.found_kind()? {
        Kind::Word if (after_name || in_list) && !text.contains('.') => Some(
            failed
                .error("relo::syntax::sigil", format!("`{text}` is no operand: it has no sigil"))
                .label("expected an operand")
                .help(format!(
                    "write `%{text}` for a value or `@{text}` for a symbol; attributes stand in braces: \
                     `{{ name = {text} }}`"
                )),
        ),
        Kind::Number | Kind::Text | Kind::Param | Kind::Regex if after_name || in_list => Some(
            failed
                .error("relo::syntax::operand", format!("{} is no operand", failed.text))
                .label("expected a value or a symbol")
                .help(format!("attributes stand in braces: `{{ value = {text} }}`")),
        ),
        Kind::Capture if text.starts_with('$') && (after_name || in_list) => Some(
            failed
                .error("relo::syntax::sigil", format!("`{text}` is data, not an operand"))
                .label("expected a value or a symbol")
                .help(format!(
                    "attributes stand in braces: `{{ name = {text} }}`; types after a colon: `: {text}`"
                )),
        ),
        Kind::Type | Kind::Word if !text.contains('.') || text.starts_with('!') => Some(colon(failed)),
        Kind::Capture if text.starts_with('$') && failed.may_end => Some(colon(failed)),
        _ => None,
    }
}

fn colon(failed: &Failed) -> SyntaxError {
    failed
        .error("relo::syntax::colon", format!("a `:` is missing before {}", failed.text))
        .label("read as a type")
        .help(format!("types stand after a colon: `: {}`", failed.found_text()))
}

fn separator(failed: &Failed) -> Option<SyntaxError> {
    let text = failed.found_text();
    if text == ";" {
        return Some(
            failed
                .error("relo::syntax::separator", "a bracket is still open at this `;`")
                .label("ends nothing here")
                .help("parts in brackets are separated by `,`"),
        );
    }
    let begins = matches!(
        failed.found_kind()?,
        Kind::Word
            | Kind::Capture
            | Kind::Param
            | Kind::Number
            | Kind::Text
            | Kind::Regex
            | Kind::Type
            | Kind::Attribute
    );
    if let Some(open) = failed.around() {
        let listed = failed.scan.kind(open) != Some(Kind::Open(Bracket::Curly)) || failed.in_attributes();
        return (begins && listed && failed.expects(COMMA)).then(|| {
            failed
                .error("relo::syntax::separator", format!("a `,` is missing before {}", failed.text))
                .label("the next part begins here")
                .help("parts in brackets are separated by `,`")
        });
    }
    if failed.rule == Rule::clause && text == "," {
        return Some(
            failed
                .error("relo::syntax::separator", "conditions are not separated by `,`")
                .label("not a separator here")
                .help("write each on a line of its own, or put `;` between them"),
        );
    }
    if !failed.may_end || !begins && text != "(" || failed.rule == Rule::hole {
        return None;
    }
    let next = failed.after().map_or("", |next| failed.scan.word(next));
    let new_line = failed.rule == Rule::clause
        || failed.found_kind() == Some(Kind::Word)
        || matches!(next, "=" | ",") && failed.found_kind() == Some(Kind::Capture);
    if new_line {
        return Some(
            failed
                .error(
                    "relo::syntax::separator",
                    format!("a new line or `;` is missing before {}", failed.text),
                )
                .label("the next one begins here")
                .help("write each on a line of its own, or put `;` between them"),
        );
    }
    failed.expects(COMMA).then(|| {
        failed
            .error("relo::syntax::separator", format!("a `,` is missing before {}", failed.text))
            .label("the next operand begins here")
            .help("operands are separated by `,`")
    })
}
