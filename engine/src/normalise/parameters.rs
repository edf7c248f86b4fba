//! Values of parameters, and other constants.

use relo_grammar::tree::{self, Expr, ExprKind};

use super::declaring::Place;
use super::scope::Scope;
use crate::finding::{Finding, suggestion};
use crate::normal::Term;
use crate::request::Request;
use crate::target::{Target, setting_term};

impl<'a> Scope<'a> {
    pub(super) fn parameter(
        &self,
        param: &tree::Param,
        place: &Place<'a>,
        target: &Target,
        request: &Request,
        findings: &mut Vec<Finding>,
    ) -> Option<Term> {
        let key = format!("{}.{}", place.pack, param.name.item);
        let set = request.settings.get(&key).or_else(|| target.spec.parameters.get(&key));
        let value = match (set, &param.default) {
            (Some(setting), _) => setting_term(setting),
            (None, Some(default)) => constant(default, target).unwrap_or(Term::Absent),
            (None, None) if request.placeholders => match param.kind.item.as_str() {
                "int" => Term::Int(0),
                "bool" => Term::Bool(false),
                "[string]" => Term::List(Vec::new()),
                _ => Term::Str(String::new()),
            },
            (None, None) => {
                findings.push(
                    Finding::error(
                        "relo::check::parameter_missing",
                        place.source,
                        param.name.span,
                        format!("parameter `{key}` has no value"),
                    )
                    .label("it has no default")
                    .help(format!("give it one with `--set {key}=…`, or in the target's `parameters`")),
                );
                // Known, so that its uses are not reported too.
                return Some(Term::Absent);
            }
        };
        let fits = match param.kind.item.as_str() {
            "string" => matches!(value, Term::Str(_)),
            "int" => matches!(value, Term::Int(_)),
            "bool" => matches!(value, Term::Bool(_)),
            "[string]" => {
                matches!(&value, Term::List(items) if items.iter().all(|item| matches!(item, Term::Str(_))))
            }
            other => {
                findings.push(
                    Finding::error(
                        "relo::check::parameter_kind",
                        place.source,
                        param.kind.span,
                        format!("there is no kind of parameter `{other}`"),
                    )
                    .help(suggestion(other, ["string", "int", "bool", "[string]"])),
                );
                return None;
            }
        };
        if !fits {
            let message = format!("the value of parameter `{key}` is not of kind `{}`", param.kind.item);
            let at = match (set, &param.default) {
                (None, Some(default)) => default.span,
                _ => param.kind.span,
            };
            findings.push(
                Finding::error("relo::check::parameter_value", place.source, at, message)
                    .label(if set.is_some() { "another value is set for it" } else { "its default" })
                    .help(match param.kind.item.as_str() {
                        "string" => "a string stands in quotes: `\"text\"`",
                        "int" => "an int is a number without quotes: `8`",
                        "bool" => "a bool is `true` or `false`",
                        _ => "several strings are a list: `[\"one\", \"two\"]`",
                    }),
            );
        }
        Some(value)
    }
}

/// The value of an expression that names nothing.
pub(super) fn constant(expr: &Expr, target: &Target) -> Option<Term> {
    Some(match &expr.kind {
        ExprKind::Bool(value) => Term::Bool(*value),
        ExprKind::Int(value) => Term::Int(*value),
        ExprKind::Str(text) => Term::Str(text.clone()),
        ExprKind::Type(text) => Term::Type(text.clone()),
        ExprKind::Word(word) => type_word(word, target).map_or_else(|| Term::Str(word.clone()), Term::Type),
        ExprKind::List(items) => {
            Term::List(items.iter().map(|item| constant(item, target)).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A bare word that is a type, as MLIR text: `i64`, `f32`, `ptr`, `word`.
pub(super) fn type_word(word: &str, target: &Target) -> Option<String> {
    match word {
        "ptr" => Some("!llvm.ptr".to_owned()),
        "word" => Some(target.word_type()),
        _ => {
            let digits = word.strip_prefix(['i', 'f'])?;
            (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| word.to_owned())
        }
    }
}
