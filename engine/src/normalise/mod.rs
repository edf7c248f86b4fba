//! From trees to the normal form, with everything that is wrong on the way.
//!
//! [`scope`] gathers what the packs declare; [`matching`], [`terms`] and [`building`], with what they consist of, turn one
//! rule's blocks into patterns, conditions and constructions. A mistake in one rule hides no other rule's mistakes.

mod attributes;
mod building;
mod calling;
mod captures;
mod declaring;
mod digest;
mod fragments;
mod globals;
mod matching;
mod operations;
mod overrides;
mod parameters;
mod scope;
mod terms;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use relo_grammar::span::{Source, Span};
use relo_grammar::tree::{self, Outcome as TreeOutcome};

use crate::datum::Kind;
use crate::finding::Finding;
use crate::native::Signature;
use crate::normal::{
    Binding, BindingId, Condition, Construction, MessagePart, OperationPattern, Outcome, Phase, RootFate,
    Rule, Term,
};
use crate::schema::Schema;
use crate::target::Target;

use digest::digests;
pub(crate) use scope::{Declared, RuleItem, Scope, joined};

/// What all rules are normalised against.
pub(crate) struct Context<'a> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) target: &'a Target,
    pub(crate) signatures: &'a IndexMap<&'static str, Signature>,
    pub(crate) schema: &'a dyn Schema,
}

/// One rule on its way to the normal form.
struct Normaliser<'a> {
    context: &'a Context<'a>,
    item: &'a RuleItem<'a>,
    bindings: Vec<Binding>,
    uses: Vec<usize>,
    /// Captures in scope; a fragment pushes a frame of its own.
    frames: Vec<captures::Frame>,
    operations: Vec<OperationPattern>,
    /// Which result of which operation a binding is.
    results: BTreeMap<BindingId, (usize, usize)>,
    conditions: Vec<Condition>,
    constructions: Vec<Construction>,
    replacements: BTreeMap<BindingId, BindingId>,
    findings: Vec<Finding>,
    /// Whether it uses what could not be read.
    is_open: bool,
}

/// Normalises one rule, or says what is wrong with it.
pub(crate) fn rule(context: &Context, item: &RuleItem) -> (Option<Rule>, Vec<Finding>) {
    let mut normaliser = Normaliser {
        context,
        item,
        bindings: Vec::new(),
        uses: Vec::new(),
        frames: vec![captures::Frame::default()],
        operations: Vec::new(),
        results: BTreeMap::new(),
        conditions: Vec::new(),
        constructions: Vec::new(),
        replacements: BTreeMap::new(),
        findings: Vec::new(),
        is_open: false,
    };
    let outcome = normaliser.run();
    normaliser.check_unused();
    if !normaliser.findings.is_empty() || normaliser.is_open {
        return (None, normaliser.findings);
    }
    let Some(outcome) = outcome else { return (None, normaliser.findings) };
    let mut rule = Rule {
        path: item.path(),
        pack: item.pack.to_owned(),
        phase: item.phase,
        strategy: item.strategy.map(|strategy| strategy.name.item.clone()),
        source: item.source.clone(),
        span: item.name.span,
        bindings: normaliser.bindings,
        operations: normaliser.operations,
        conditions: normaliser.conditions,
        outcome,
        carry_attributes: item.attributes.is_none_or(|policy| policy.item == "carry"),
        digest: String::new(),
        matching: String::new(),
    };
    let (digest, matching) = digests(&rule);
    rule.digest = digest;
    rule.matching = matching;
    (Some(rule), Vec::new())
}

impl<'a> Normaliser<'a> {
    fn run(&mut self) -> Option<Outcome> {
        self.matches(self.item.matches);
        if let Some(wheres) = self.item.wheres {
            self.wheres(wheres);
        }
        self.check_connected();
        match self.item.outcome {
            TreeOutcome::Rewrite(rewrite) => {
                let root = self.rewrite(rewrite)?;
                Some(Outcome::Rewrite { constructions: std::mem::take(&mut self.constructions), root })
            }
            TreeOutcome::Reject(text) => Some(Outcome::Reject { message: self.message(&text.item) }),
        }
    }

    fn message(&mut self, text: &tree::Text) -> Vec<MessagePart> {
        text.parts
            .iter()
            .map(|part| match part {
                tree::TextPart::Literal(text) => MessagePart::Text(text.clone()),
                tree::TextPart::Hole(expr) => {
                    let (term, kind) = self.term(expr, Kind::Any);
                    match self.settle(term, kind, expr.span) {
                        Term::Binding(binding) => MessagePart::Binding(binding),
                        Term::Str(text) | Term::Type(text) => MessagePart::Text(text),
                        Term::Int(number) => MessagePart::Text(number.to_string()),
                        _ => MessagePart::Text(String::new()),
                    }
                }
            })
            .collect()
    }

    /// A term that constructions and messages can use: what has to be computed is computed by a condition.
    fn settle(&mut self, term: Term, kind: Kind, span: Span) -> Term {
        match term {
            Term::Bool(_)
            | Term::Int(_)
            | Term::Str(_)
            | Term::Type(_)
            | Term::Absent
            | Term::Binding(_)
            | Term::Regex(_) => term,
            Term::List(_) | Term::Call { .. } | Term::Referent { .. } | Term::Not(_) | Term::Binary(..) => {
                let binding = self.fresh(kind, span);
                self.conditions.push(Condition::Bind { bindings: vec![Some(binding)], term, span });
                Term::Binding(binding)
            }
        }
    }

    /// PDL starts at the root and follows operands: every operation must be reached that way.
    fn check_connected(&mut self) {
        let Some(root) = self.operations.len().checked_sub(1) else { return };
        let mut reached = vec![false; self.operations.len()];
        let mut queue = vec![root];
        while let Some(index) = queue.pop() {
            if std::mem::replace(&mut reached[index], true) {
                continue;
            }
            if let crate::normal::OperandsPattern::List { fixed, .. } = &self.operations[index].operands {
                queue.extend(fixed.iter().filter_map(|operand| match operand {
                    crate::normal::OperandPattern::ResultOf { operation, .. } => Some(*operation),
                    _ => None,
                }));
            }
        }
        for index in (0..self.operations.len()).filter(|index| !reached[*index]) {
            let span = self.operations[index].span;
            self.error("relo::check::disconnected", span, "no operand of the root leads to this operation")
                .help = Some(
                "the last operation of a match is its root; match what defines the root's operands, and reach \
                 the rest through natives in `where`"
                    .to_owned(),
            );
        }
    }

    /// Whether a name that is not known is that of an item that could not be read: the mistake is there, not here.
    fn is_unread(&mut self, name: &str) -> bool {
        let is_unread = self.context.scope.is_unread(name);
        self.is_open |= is_unread;
        is_unread
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> &mut Finding {
        self.findings.push(Finding::error(code, self.source(), span, message));
        self.findings.last_mut().expect("one was pushed")
    }

    /// The text that the block being read stands in: a fragment may come from another file.
    fn source(&self) -> &'a Source {
        self.frames
            .last()
            .and_then(|frame| frame.source)
            .map_or(self.item.source, |index| self.context.scope.source(index))
    }
}

/// The phases by name, for "did you mean".
pub(crate) fn phase_names() -> impl Iterator<Item = &'static str> {
    Phase::ALL.into_iter().map(Phase::name)
}

impl RootFate {
    /// The bindings that replace the root's results.
    pub fn replacements(&self) -> &[BindingId] {
        match self {
            Self::Replaced(bindings) => bindings,
            Self::Erased => &[],
        }
    }
}
