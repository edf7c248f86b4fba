//! Globals that are built: what they are initialised with, their sites, and what becomes of the root's own contents.

use relo_grammar::span::Span;
use relo_grammar::tree::{Expr, ExprKind, Operation};

use super::Normaliser;
use crate::datum::Kind;
use crate::normal::{AttributeTest, BindingId, Construction, Initializer, Term};
use crate::schema::OperationFacts;

impl Normaliser<'_> {
    pub(super) fn build_global(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        mut attributes: Vec<(String, Term)>,
        spread: Option<BindingId>,
        mut types: Vec<Term>,
    ) {
        let name = operation.name.item.clone();
        let symbol = attributes.iter().position(|(name, _)| name == "sym_name");
        let (Some(symbol), true) = (symbol, facts.symbol && operation.results.is_empty()) else {
            self.error(
                "relo::check::region",
                operation.name.span,
                format!("`{name}` has a region, which no rule can write"),
            )
            .help = Some("rules build globals with contents, and operations without regions".to_owned());
            return;
        };
        let symbol = attributes.remove(symbol).1;
        if types.len() != 1 {
            let message = format!("`{name}` needs the type of its value");
            self.error("relo::check::result_type", operation.span, message).help =
                Some("write it after a colon: `: $T`".to_owned());
            return;
        }
        let initializer = operation.initializer.as_ref().and_then(|expr| self.initializer(expr));
        self.constructions.push(Construction::Global {
            name,
            symbol,
            ty: types.remove(0),
            initializer,
            attributes,
            spread,
            sites: Vec::new(),
            span: operation.span,
        });
    }

    fn initializer(&mut self, expr: &Expr) -> Option<Initializer> {
        match &expr.kind {
            ExprKind::Word(word) if word == "zero" => return Some(Initializer::Zero),
            ExprKind::Call(call) => match (call.name.item.as_str(), call.arguments.as_slice()) {
                ("word", [word]) => return Some(Initializer::Word(self.value(word, Kind::Int))),
                ("contents", [symbol]) => {
                    self.require_root_symbol(symbol, symbol.span);
                    return Some(Initializer::Contents);
                }
                ("filled", [symbol, words]) => {
                    self.require_root_symbol(symbol, symbol.span);
                    return Some(Initializer::Filled(self.value(words, Kind::List)));
                }
                _ => {}
            },
            _ => {}
        }
        self.error("relo::check::initializer", expr.span, "a global is not initialised with this").help = Some(
            "write `zero`, `word($w)`, `contents(@g)` or `filled(@g, $words)`, where @g is the root's symbol".to_owned(),
        );
        None
    }

    pub(super) fn site(&mut self, global: &Expr, offset: &Expr, referent: &Expr, span: Span) {
        let symbol = self.value(global, Kind::Symbol);
        let offset = self.value(offset, Kind::Int);
        let referent = self.value(referent, Kind::Referent);
        let last = self.constructions.iter_mut().rev().find_map(|construction| match construction {
            Construction::Global { symbol: built, sites, .. } if *built == symbol => Some(sites),
            _ => None,
        });
        match last {
            Some(sites) => sites.push((offset, referent)),
            None => {
                self.error("relo::check::site", span, "no global of this name is built above").help =
                    Some("a site belongs to a global that the same rewrite builds".to_owned());
            }
        }
    }

    /// What the root's region holds is moved, looked at or erased on purpose, never dropped.
    pub(super) fn check_region(&mut self, erased: Option<Span>) {
        let Some(root) = self.operations.last() else { return };
        let (name, span) = (root.name.clone(), root.span);
        let has_region = self.context.schema.operation(&name).is_some_and(|facts| facts.regions);
        let is_told = self.findings.iter().any(|finding| finding.code == "relo::check::initializer");
        if !has_region || erased.is_some() || self.constructions.is_empty() || is_told {
            return;
        }
        let initializers = self.constructions.iter().filter_map(|construction| match construction {
            Construction::Global { initializer, .. } => initializer.as_ref(),
            _ => None,
        });
        let (mut moved, mut replaced) = (false, false);
        for initializer in initializers {
            match initializer {
                Initializer::Contents | Initializer::Filled(_) => moved = true,
                Initializer::Zero | Initializer::Word(_) => replaced = true,
            }
        }
        // A rule that asks something of the root's symbol, such as whether it is a declaration, knows what it drops.
        let asked = root.attributes.iter().any(|attribute| match attribute.test {
            AttributeTest::Bind(symbol) if attribute.name == "sym_name" => {
                self.conditions.iter().any(|condition| condition.mentions(symbol))
            }
            _ => false,
        });
        if !moved && (replaced || !asked) {
            self.error("relo::check::region_lost", span, format!("the contents of `{name}` are lost"))
                .set_label("the rewrite does not take them over")
                .help = Some(
                "initialise what you build with `contents(@g)` or `filled(@g, $words)`, where @g is the root's \
                 symbol, or write `erase` if they are meant to go"
                    .to_owned(),
            );
        }
    }

    /// Only the root goes away, and only its contents move, so that no other use dangles.
    pub(super) fn require_root_symbol(&mut self, expr: &Expr, span: Span) {
        let (term, _) = self.term(expr, Kind::Symbol);
        let is_root = self.operations.last().is_some_and(|root| {
            root.attributes.iter().any(|attribute| {
                attribute.name == "sym_name"
                    && matches!(&attribute.test, AttributeTest::Bind(binding)
                        if Term::Binding(*binding) == term)
            })
        });
        if !is_root {
            self.error("relo::check::erase_other", span, "this is not the root's symbol").help = Some(
                "a rewrite removes its root only; write a rule that matches the other symbol".to_owned(),
            );
        }
    }
}
