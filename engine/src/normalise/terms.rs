//! `where`, and every expression: to conditions and terms, with their kinds checked.

use relo_grammar::span::{Name, Span};
use relo_grammar::tree::{BinaryOp, Call, Capture, Clause, Expr, ExprKind, Sigil, Where};

use super::Normaliser;
use super::captures::spelled;
use super::parameters::type_word;
use crate::datum::Kind;
use crate::finding::{counted, suggestion};
use crate::native::{Effect, Signature};
use crate::normal::{Condition, Pattern, ReferentKind, Term};

impl Normaliser<'_> {
    pub(super) fn wheres(&mut self, block: &Where) {
        for clause in &block.clauses {
            match clause {
                Clause::Bind { captures, value, span } => self.bind_clause(captures, value, *span),
                Clause::Test(expr) => self.test_clause(expr),
            }
        }
    }

    fn bind_clause(&mut self, captures: &[Capture], value: &Expr, span: Span) {
        let results = match &value.kind {
            ExprKind::Call(call) => self.context.signatures.get(call.name.item.as_str()).map(|s| &s.results),
            _ => None,
        };
        let (term, kind) = self.term(value, Kind::Any);
        // How much an unknown native gives nobody knows.
        if matches!(value.kind, ExprKind::Call(_)) && results.is_none() {
            self.bind_anyway(captures);
            return;
        }
        let count = results.map_or(1, Vec::len);
        if captures.len() != count {
            let message = format!("this gives {}, not {}", counted(count, "value"), captures.len());
            self.error("relo::check::values", value.span, message).set_label("the right side").help = Some(
                match count {
                    0 => "call it as a condition, without `=`: it holds or does not".to_owned(),
                    1 => "write one capture on the left".to_owned(),
                    _ => format!(
                        "write {count} captures on the left, as in `($a, _)`; `_` for one that does not matter"
                    ),
                },
            );
            self.bind_anyway(captures);
            return;
        }
        let kinds = results.cloned().unwrap_or_else(|| vec![kind]);
        let mut equal = Vec::new();
        let bindings = captures
            .iter()
            .zip(kinds)
            .map(|(capture, kind)| {
                if capture.name.item == "_" {
                    return None;
                }
                self.check_sigil(capture, kind);
                match self.lookup(capture) {
                    // Bound already: both must be the same.
                    Some((bound, _)) => {
                        let fresh = self.fresh(kind, span);
                        equal.push((bound, fresh));
                        Some(fresh)
                    }
                    None => Some(self.bind(capture, Some(kind))),
                }
            })
            .collect();
        self.conditions.push(Condition::Bind { bindings, term, span });
        for (bound, fresh) in equal {
            let term = Term::Binary(BinaryOp::Equal, Box::new(bound), Box::new(Term::Binding(fresh)));
            self.conditions.push(Condition::Test { term, span });
        }
    }

    fn check_sigil(&mut self, capture: &Capture, kind: Kind) {
        let fits = match capture.sigil {
            Sigil::Value => matches!(kind, Kind::Value | Kind::Any),
            Sigil::Symbol => matches!(kind, Kind::Symbol | Kind::Str | Kind::Any | Kind::Attribute),
            Sigil::Data => kind != Kind::Value,
        };
        if !fits {
            let sigil = match kind {
                Kind::Value => '%',
                Kind::Symbol => '@',
                _ => '$',
            };
            let message = format!("this is {kind}, which a name with another sigil stands for");
            self.error("relo::check::sigil", capture.name.span, message).help =
                Some(format!("write `{sigil}{}`", capture.name.item));
        }
    }

    fn test_clause(&mut self, expr: &Expr) {
        if let ExprKind::Binary(BinaryOp::In, left, list) = &expr.kind
            && let ExprKind::Capture(capture) = &left.kind
            && !self.is_bound(capture)
        {
            let (list, _) = self.term(list, Kind::List);
            let binding = self.bind(capture, Some(Kind::Any));
            self.conditions.push(Condition::Each { binding, list, span: expr.span });
            return;
        }
        let (term, kind) = self.term(expr, Kind::Any);
        let is_call = matches!(expr.kind, ExprKind::Call(_));
        if !is_call && !matches!(kind, Kind::Bool | Kind::Any | Kind::Attribute) {
            let finding = self.error(
                "relo::check::not_a_condition",
                expr.span,
                format!("this is {kind}, not a condition"),
            );
            finding.help = Some("compare it with something, or bind it: `$x = …`".to_owned());
        }
        self.conditions.push(Condition::Test { term, span: expr.span });
    }

    /// An expression as a term, and its kind; a finding where the kind can't be the expected one.
    pub(super) fn term(&mut self, expr: &Expr, expected: Kind) -> (Term, Kind) {
        let (term, kind) = self.any_term(expr, expected);
        if !kind.fits(expected) && term != Term::Absent {
            let message = format!("expected {expected}, found {kind}");
            let finding = self.error("relo::check::kind", expr.span, message);
            finding.set_label(format!("this is {kind}"));
            finding.help = wanted(expected).map(ToOwned::to_owned);
            if let ExprKind::Capture(capture) = &expr.kind {
                let name = spelled(capture);
                let decided = self.decided(&name).filter(|span| *span != capture.name.span);
                let source = self.source().clone();
                if let (Some(span), Some(finding)) = (decided, self.findings.pop()) {
                    self.findings.push(finding.also(&source, span, format!("`{name}` is bound here")));
                }
            }
        }
        (term, kind)
    }

    /// An expression as a term, and its kind, whatever it is; `expected` is how a bare word is read.
    pub(super) fn any_term(&mut self, expr: &Expr, expected: Kind) -> (Term, Kind) {
        match &expr.kind {
            ExprKind::Bool(value) => (Term::Bool(*value), Kind::Bool),
            ExprKind::Int(value) => (Term::Int(*value), Kind::Int),
            ExprKind::Str(text) => (Term::Str(text.clone()), Kind::Str),
            ExprKind::Type(text) => (Term::Type(text.clone()), Kind::Type),
            // What is text can be an enumerator that is called as a type is.
            ExprKind::Word(word) if expected == Kind::Str => (Term::Str(word.clone()), Kind::Str),
            ExprKind::Word(word) => match type_word(word, self.context.target) {
                Some(text) => (Term::Type(text), Kind::Type),
                None if expected == Kind::Type => {
                    let message = format!("there is no type `{word}`");
                    self.error("relo::check::unknown_type", expr.span, message).help = Some(
                        "types are i1 to i64, f32, f64, ptr, word, or MLIR's own with `!`: !llvm.ptr<1>"
                            .to_owned(),
                    );
                    (Term::Absent, Kind::Type)
                }
                None => (Term::Str(word.clone()), Kind::Str),
            },
            ExprKind::Regex(text) => (self.pattern(text, expr.span), Kind::Regex),
            ExprKind::Any => {
                self.error("relo::check::wildcard", expr.span, "`_` has no value here").help =
                    Some("it stands for anything in a match, and only there".to_owned());
                (Term::Absent, Kind::Any)
            }
            ExprKind::AttributeOf { name, arguments } => self.referent(name, arguments, expr.span),
            ExprKind::Capture(capture) => self.lookup(capture).unwrap_or_else(|| {
                self.unbound(capture);
                (Term::Absent, Kind::Any)
            }),
            ExprKind::Param(name) => self.parameter(name),
            ExprKind::Target(name) => self.property(name),
            ExprKind::Call(call) => self.call(call),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.term(item, Kind::Any).0).collect();
                (Term::List(items), Kind::List)
            }
            ExprKind::Not(inner) => (Term::Not(Box::new(self.term(inner, Kind::Any).0)), Kind::Bool),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> (Term, Kind) {
        let (wanted_left, wanted_right, kind) = match op {
            BinaryOp::Or | BinaryOp::And | BinaryOp::Equal | BinaryOp::NotEqual => {
                (Kind::Any, Kind::Any, Kind::Bool)
            }
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                (Kind::Int, Kind::Int, Kind::Bool)
            }
            BinaryOp::In => (Kind::Any, Kind::List, Kind::Bool),
            BinaryOp::StartsWith | BinaryOp::EndsWith | BinaryOp::Contains => {
                (Kind::Str, Kind::Str, Kind::Bool)
            }
            BinaryOp::Matches => (Kind::Str, Kind::Regex, Kind::Bool),
            BinaryOp::Add | BinaryOp::Subtract => (Kind::Int, Kind::Int, Kind::Int),
        };
        let (left_term, left_kind) = self.term(left, wanted_left);
        let (right_term, right_kind) = self.regex_or_term(right, wanted_right);
        if matches!(op, BinaryOp::Equal | BinaryOp::NotEqual)
            && !left_kind.fits(right_kind)
            && !right_kind.fits(left_kind)
        {
            let span = left.span.to(right.span);
            let message = format!("{left_kind} is never equal to {right_kind}");
            self.error("relo::check::kind", span, message).set_label("these two").help =
                Some("a comparison that never holds is a mistake; compare things of one kind".to_owned());
        }
        (Term::Binary(op, Box::new(left_term), Box::new(right_term)), kind)
    }

    /// A regular expression may come from a parameter, as text.
    fn regex_or_term(&mut self, expr: &Expr, wanted: Kind) -> (Term, Kind) {
        if wanted != Kind::Regex {
            return self.term(expr, wanted);
        }
        let (term, kind) = self.any_term(expr, wanted);
        match term {
            Term::Regex(_) | Term::Absent => (term, kind),
            Term::Str(text) => (self.pattern(&text, expr.span), Kind::Regex),
            _ => {
                let message = format!("expected {}, found {kind}", Kind::Regex);
                self.error("relo::check::kind", expr.span, message).help = Some(
                    "write it as `/…/`, or as a parameter: it is compiled before any rule runs".to_owned(),
                );
                (Term::Absent, Kind::Regex)
            }
        }
    }

    fn pattern(&mut self, text: &str, span: Span) -> Term {
        match crate::expression::regex(text) {
            Ok(regex) => Term::Regex(Pattern(regex)),
            Err(error) => {
                let reason = error.to_string().lines().last().unwrap_or_default().to_owned();
                self.error("relo::check::regex", span, format!("not a regular expression: {reason}")).help =
                    Some("a backslash takes a sign as it is: `\\(`; there is no look-around".to_owned());
                Term::Absent
            }
        }
    }

    fn parameter(&mut self, name: &Name) -> (Term, Kind) {
        if let Some(term) = self.context.scope.parameter_value(self.item.pack, &name.item) {
            let kind = match term {
                Term::Int(_) => Kind::Int,
                Term::Bool(_) => Kind::Bool,
                Term::List(_) => Kind::List,
                _ => Kind::Str,
            };
            return (term.clone(), kind);
        }
        if self.is_unread(&name.item) {
            return (Term::Absent, Kind::Any);
        }
        let names = self.context.scope.parameter_names(self.item.pack);
        let help = suggestion(&name.item, names.iter().map(String::as_str));
        let message = format!("pack `{}` has no parameter `{}`", self.item.pack, name.item);
        self.error("relo::check::unknown_parameter", name.span, message).help = Some(help);
        (Term::Absent, Kind::Any)
    }

    fn property(&mut self, name: &Name) -> (Term, Kind) {
        match self.context.target.property(&name.item) {
            Some(term) => {
                let kind = match term {
                    Term::Bool(_) => Kind::Bool,
                    Term::Int(_) => Kind::Int,
                    Term::Type(_) => Kind::Type,
                    Term::List(_) => Kind::List,
                    _ => Kind::Str,
                };
                (term, kind)
            }
            // Another target has it: this one leaves it out.
            None if self.context.scope.properties().contains(&name.item) => (Term::Absent, Kind::Any),
            None => {
                let known = self.context.scope.properties().iter().map(String::as_str);
                let help = suggestion(&name.item, known.chain(["name", "triple", "cpu", "emit", "word"]));
                let message = format!("no target has a property `{}`", name.item);
                self.error("relo::check::unknown_property", name.span, message).help = Some(help);
                (Term::Absent, Kind::Any)
            }
        }
    }

    /// The signature of a native, or a finding at its name.
    pub(super) fn signature(&mut self, call: &Call) -> Option<Signature> {
        if let Some(signature) = self.context.signatures.get(call.name.item.as_str()) {
            return Some(signature.clone());
        }
        if self.is_unread(&call.name.item) {
            return None;
        }
        let help = suggestion(&call.name.item, self.context.signatures.keys().copied());
        let message = format!("there is no native `{}`", call.name.item);
        let finding = self.error("relo::check::unknown_native", call.name.span, message);
        finding.labels[0].text = "called here".to_owned();
        finding.help = Some(help);
        None
    }

    /// The arguments of a native, checked against its signature.
    pub(super) fn arguments(&mut self, call: &Call, signature: &Signature, given: usize) {
        let wanted = signature.parameters.len();
        if given != wanted {
            let names: Vec<&str> = signature.parameters.iter().map(|(name, _)| *name).collect();
            let message = format!("`{}` takes {}, not {given}", signature.name, counted(wanted, "argument"));
            let place = call.arguments.get(wanted).map_or(call.name.span, |extra| extra.span);
            self.error("relo::check::arguments", place, message)
                .set_label(if given > wanted { "one too many" } else { "called here" })
                .help = Some(format!("{}({}): {}", signature.name, names.join(", "), signature.doc));
        }
    }

    fn call(&mut self, call: &Call) -> (Term, Kind) {
        let Some(signature) = self.signature(call) else {
            for argument in &call.arguments {
                self.term(argument, Kind::Any);
            }
            return (Term::Absent, Kind::Any);
        };
        if signature.effect == Effect::Builder {
            let message = format!("`{}` builds IR: it stands in a `rewrite`", signature.name);
            self.error("relo::check::builder_in_condition", call.name.span, message)
                .set_label("called in a condition")
                .help = Some("conditions only look; build what the rule needs in its `rewrite`".to_owned());
        }
        self.arguments(call, &signature, call.arguments.len());
        let arguments = call
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                let wanted = signature.parameters.get(index).map_or(Kind::Any, |(_, kind)| *kind);
                self.regex_or_term(argument, wanted).0
            })
            .collect();
        let kind = signature.results.first().copied().unwrap_or(Kind::Bool);
        (Term::Call { native: call.name.item.clone(), arguments }, kind)
    }

    fn referent(&mut self, name: &Name, arguments: &[Expr], span: Span) -> (Term, Kind) {
        let (kind, shape) = match name.item.as_str() {
            "reloc.object" => (ReferentKind::Object, "#reloc.object<runtime, key + addend>"),
            "reloc.symbol" => (ReferentKind::Symbol, "#reloc.symbol<name + addend, library>"),
            "reloc.word" => (ReferentKind::Word, "#reloc.word<symbol + offset, library>"),
            other => {
                let help = suggestion(other, ["reloc.object", "reloc.symbol", "reloc.word"]);
                let message = format!("there is no referent `#{other}`");
                self.error("relo::check::unknown_referent", name.span, message).help = Some(help);
                return (Term::Absent, Kind::Referent);
            }
        };
        let (first, second) = match (kind, arguments) {
            (ReferentKind::Object, [runtime, key]) => (key, Some(runtime)),
            (ReferentKind::Symbol | ReferentKind::Word, [name]) => (name, None),
            (ReferentKind::Symbol | ReferentKind::Word, [name, library]) => (name, Some(library)),
            _ => {
                let message = format!("`#{}` does not have {} parts", name.item, arguments.len());
                self.error("relo::check::arguments", span, message).help = Some(format!("write {shape}"));
                return (Term::Absent, Kind::Referent);
            }
        };
        let (base, addend) = match &first.kind {
            ExprKind::Binary(BinaryOp::Add, base, addend) => (&**base, self.term(addend, Kind::Int).0),
            ExprKind::Binary(BinaryOp::Subtract, base, addend) => {
                let addend = Box::new(self.term(addend, Kind::Int).0);
                (&**base, Term::Binary(BinaryOp::Subtract, Box::new(Term::Int(0)), addend))
            }
            _ => (first, Term::Absent),
        };
        let base = self.term(base, Kind::Str).0;
        let other = second.map_or(Term::Absent, |expr| self.term(expr, Kind::Str).0);
        let parts = match kind {
            ReferentKind::Object => [Box::new(other), Box::new(base), Box::new(addend)],
            ReferentKind::Symbol | ReferentKind::Word => [Box::new(base), Box::new(addend), Box::new(other)],
        };
        (Term::Referent { kind, parts }, Kind::Referent)
    }
}

/// How something of a kind is written.
pub(super) fn wanted(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Value => "values are written `%x`: operands and results of the match",
        Kind::Symbol => "symbols are written `@x`",
        Kind::Type => "types are i1 to i64, f32, f64, ptr, word, or MLIR's own with `!`: !llvm.ptr<1>",
        Kind::Int => "numbers are decimal, as `64`, or hexadecimal, as `0x40`",
        Kind::Str => "text is written in quotes; `name(@x)` is a symbol's name",
        Kind::Bool => "write `true`, `false` or a condition",
        Kind::Referent => {
            "a referent is `session($address)`, or built: `#reloc.symbol<name>`, `#reloc.word<symbol + offset>`"
        }
        Kind::List => "a list is written `[a, b]`",
        Kind::Dictionary => "`..$rest` in a match captures attributes",
        Kind::Any | Kind::Attribute | Kind::Regex | Kind::Contents => return None,
    })
}
