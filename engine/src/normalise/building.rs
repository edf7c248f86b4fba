//! `rewrite`: statements to constructions, and what becomes of the root.

use relo_grammar::span::Span;
use relo_grammar::tree::{Attribute, Capture, Expr, ExprKind, Operand, Operation, Rewrite, Statement};

use super::Normaliser;
use super::captures::spelled;
use super::matching::expected;
use crate::datum::Kind;
use crate::finding::Finding;
use crate::normal::{AttributeTest, BindingId, Construction, Initializer, RootFate, Term};
use crate::schema::{OperationFacts, Presence};

impl Normaliser<'_> {
    /// Reads a rule's `rewrite`.
    pub(super) fn rewrite(&mut self, block: &Rewrite) -> Option<RootFate> {
        let erased = self.statements(block);
        self.check_region(erased);
        let root = self.operations.last()?;
        let facts = self.context.schema.operation(&root.name).unwrap_or_default();
        let count = facts.results.len();
        let (results, name, span) = (root.results.clone(), root.name.clone(), root.span);
        if count == 0 {
            if block.statements.is_empty() {
                self.error("relo::check::empty_rewrite", block.span, "this rewrite does nothing").help =
                    Some("build something, or write `erase`".to_owned());
            }
            return Some(RootFate::Erased);
        }
        if let Some(span) = erased {
            self.error(
                "relo::check::erase_with_results",
                span,
                format!("`{name}` has a result, which may be used"),
            )
            .help = Some("replace the result: `%x = …`, with the name that the match gives it".to_owned());
            return None;
        }
        let mut fate = Vec::new();
        for index in 0..count {
            let binding = results.get(index).copied().flatten();
            match binding.and_then(|binding| self.replacements.get(&binding)) {
                Some(replacement) => fate.push(*replacement),
                None => {
                    let what = match binding {
                        Some(binding) => format!("nothing replaces `{}`", self.bindings[binding.0].name),
                        None => {
                            format!("result {index} of `{name}` has no name, so that nothing can replace it")
                        }
                    };
                    let source_span = if binding.is_some() { block.span } else { span };
                    self.error("relo::check::result_lost", source_span, what).help =
                        Some("a rewrite gives every result of the root a new value: `%x = …`".to_owned());
                    return None;
                }
            }
        }
        Some(RootFate::Replaced(fate))
    }

    /// What the root's region holds is moved, looked at or erased on purpose, never dropped.
    fn check_region(&mut self, erased: Option<Span>) {
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

    /// The statements of a block; gives the place of its `erase`.
    pub(super) fn statements(&mut self, block: &Rewrite) -> Option<Span> {
        let mut erased = None;
        for statement in &block.statements {
            match statement {
                Statement::Build(operation) => {
                    self.build(operation);
                }
                Statement::Call { results, call, types } => self.build_call(results, call, types),
                Statement::Replace(old, new, span) => match self.lookup(new) {
                    Some((Term::Binding(value), _)) => self.replace(old, value, *span),
                    Some(_) => {}
                    None => self.unbound(new),
                },
                Statement::Site { global, offset, referent, span } => {
                    self.site(global, offset, referent, *span);
                }
                Statement::Erase(None, span) => erased = Some(*span),
                Statement::Erase(Some(expr), span) => {
                    self.require_root_symbol(expr, *span);
                    erased = Some(*span);
                }
            }
        }
        erased
    }

    /// Only the root goes away, and only its contents move, so that no other use dangles.
    fn require_root_symbol(&mut self, expr: &Expr, span: Span) {
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

    /// Names a new value: a result of the root is replaced by it, any other name is bound to it.
    pub(super) fn name_result(&mut self, capture: &Capture, span: Span) -> BindingId {
        if capture.name.item == "_" {
            return self.fresh(Kind::Value, span);
        }
        if self.is_bound(capture) {
            let value = self.fresh(Kind::Value, span);
            self.replace(capture, value, capture.name.span);
            return value;
        }
        self.bind(capture, Some(Kind::Value))
    }

    pub(super) fn replace(&mut self, old: &Capture, value: BindingId, span: Span) {
        let root = self.operations.len().saturating_sub(1);
        match self.lookup(old) {
            Some((Term::Binding(binding), _))
                if self.results.get(&binding).is_some_and(|(op, _)| *op == root) =>
            {
                if self.replacements.insert(binding, value).is_some() {
                    self.error(
                        "relo::check::replaced_twice",
                        span,
                        format!("`{}` is replaced twice", spelled(old)),
                    )
                    .set_label("replaced again")
                    .help = Some("it has one value: drop one of the two, or give it another name".to_owned());
                }
            }
            Some((Term::Binding(binding), _)) if self.frames.len() > 1 => {
                // A fragment's parameter that its user left to be bound.
                self.replacements.insert(binding, value);
            }
            Some(_) => {
                let message = format!("`{}` is not a result of the root", spelled(old));
                self.error("relo::check::replaces_other", span, message).help = Some(
                    "only the root's results are replaced: what else loses its last use goes away by itself"
                        .to_owned(),
                );
            }
            None => self.unbound(old),
        }
    }

    /// One operation that is built; gives the bindings of its results.
    fn build(&mut self, operation: &Operation) -> Vec<BindingId> {
        let Some(facts) = self.facts(operation) else { return Vec::new() };
        if facts.successors {
            let message = format!("`{}` has successors, which no rule can write", operation.name.item);
            self.error("relo::check::successors", operation.name.span, message).help =
                Some("rules build what stands inside a block, not what ends it".to_owned());
            return Vec::new();
        }
        let (operands, mut attributes) = self.built_operands(operation, &facts);
        let spread = self.built_attributes(operation, &facts, &mut attributes);
        let types: Vec<Term> = operation.types.iter().map(|ty| self.built_type(ty)).collect();
        if facts.regions {
            self.build_global(operation, &facts, attributes, spread, types);
            return Vec::new();
        }
        self.check_results(operation, &facts);
        self.check_required(operation, &facts, &attributes, spread.is_some());
        let required = facts.results.iter().filter(|(_, presence)| *presence == Presence::Required).count();
        if types.len() < required.max(operation.results.len()) {
            let message = format!("the type of the result of `{}` is missing", operation.name.item);
            self.error("relo::check::result_type", operation.span, message).help =
                Some("write it after a colon: `: i64`".to_owned());
        }
        let results: Vec<BindingId> = (0..types.len().max(operation.results.len()))
            .map(|index| match operation.results.get(index) {
                Some(capture) => self.name_result(capture, operation.span),
                None => self.fresh(Kind::Value, operation.span),
            })
            .collect();
        self.constructions.push(Construction::Operation {
            name: operation.name.item.clone(),
            operands,
            attributes,
            spread,
            types,
            results: results.clone(),
            span: operation.span,
        });
        results
    }

    /// A type that is built with: it has to be there for every target whose sites the rule is for.
    fn built_type(&mut self, ty: &Expr) -> Term {
        let (term, _) = self.term(ty, Kind::Type);
        let target = self.context.target;
        let is_used = self.item.strategy.is_none_or(|strategy| {
            target.spec.strategies.iter().any(|choice| choice.strategy == strategy.name.item)
        });
        if let (ExprKind::Target(name), Term::Absent, true) = (&ty.kind, &term, is_used)
            && self.context.scope.properties().contains(&name.item)
        {
            let message =
                format!("target `{}` has no `{}`, which is the type here", target.spec.name, name.item);
            let mut finding =
                Finding::error("relo::check::property_missing", self.source(), name.span, message)
                    .label("needed here")
                    .help(format!("add `{}: …` to the target in its pack.yaml", name.item));
            if let Some(pack) = self.context.scope.pack(&target.pack) {
                let place = pack.key_place(&format!("targets/{}", target.spec.name));
                finding = finding.also(&pack.yaml, place, "this target leaves it out");
            }
            self.findings.push(finding);
        }
        term
    }

    fn built_operands(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
    ) -> (Vec<Term>, Vec<(String, Term)>) {
        let (mut operands, mut attributes, mut open) = (Vec::new(), Vec::new(), false);
        for operand in operation.operands.iter().flatten() {
            match operand {
                Operand::Value(capture) => match self.lookup(capture) {
                    Some((term, _)) => operands.push(term),
                    None => self.unbound(capture),
                },
                Operand::Nested(nested) => {
                    operands.extend(self.build(nested).first().copied().map(Term::Binding));
                }
                Operand::Rest(Some(capture), _) => match self.lookup(capture) {
                    Some((term, _)) => {
                        open = true;
                        operands.push(term);
                    }
                    None => self.unbound(capture),
                },
                Operand::Symbol(expr) => {
                    let value = self.value(expr, Kind::Symbol);
                    match facts.symbol_attribute() {
                        Some(name) => attributes.push((name.to_owned(), value)),
                        None => {
                            let message = format!("`{}` takes no symbol", operation.name.item);
                            self.error("relo::check::no_symbol", expr.span, message).help =
                                Some("set the attribute by its name in braces".to_owned());
                        }
                    }
                }
                Operand::Any(span) | Operand::Rest(None, span) => {
                    self.error("relo::check::wildcard", *span, "nothing says what stands here").help =
                        Some("a rewrite names each operand".to_owned());
                    operands.push(Term::Absent);
                }
            }
        }
        self.check_operand_count(operation, facts, operands.len(), open);
        (operands, attributes)
    }

    fn built_attributes(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        attributes: &mut Vec<(String, Term)>,
    ) -> Option<BindingId> {
        let mut spread = None;
        for attribute in &operation.attributes {
            match attribute {
                Attribute::Rest(Some(capture), span) => match self.lookup(capture) {
                    Some((Term::Binding(binding), _)) => spread = Some(binding),
                    Some(_) => {
                        self.error("relo::check::kind", *span, "only attributes can be spread").help =
                            Some("capture them in the match: `..$rest`".to_owned());
                    }
                    None => self.unbound(capture),
                },
                Attribute::Rest(None, span) => {
                    self.error("relo::check::wildcard", *span, "nothing says which attributes these are")
                        .help =
                        Some("capture them in the match, `..$rest`, and write `..$rest` here".to_owned());
                }
                Attribute::Absent(name) => {
                    self.check_attribute(operation, facts, name);
                    attributes.push((name.item.clone(), Term::Absent));
                }
                Attribute::Is { name, value, .. } => {
                    self.check_attribute(operation, facts, name);
                    let term = match value {
                        Some(value) => self.held_value(facts, &name.item, value),
                        None => self.bare_attribute(facts, name),
                    };
                    self.check_enumerator(facts, &name.item, &term, value.as_ref());
                    attributes.push((name.item.clone(), term));
                }
            }
        }
        spread
    }

    /// The value of an attribute that is built.
    fn held_value(&mut self, facts: &OperationFacts, name: &str, value: &Expr) -> Term {
        if self.is_builder(value) {
            return self.value(value, Kind::Any);
        }
        let (term, kind) = self.any_term(value, facts.attribute(name).map_or(Kind::Any, expected));
        if term != Term::Absent {
            self.check_holds(facts, name, kind, value);
        }
        self.settle(term, kind, value.span)
    }

    /// `invariant`: a unit or boolean attribute that is set.
    fn bare_attribute(&mut self, facts: &OperationFacts, name: &relo_grammar::span::Name) -> Term {
        let constraint = facts.attribute(&name.item).map(|attribute| attribute.constraint.as_str());
        if let Some(constraint) = constraint
            && !constraint.contains("Unit")
            && !constraint.contains("Bool")
        {
            let message = format!("`{}` needs a value", name.item);
            self.error("relo::check::attribute_value", name.span, message).help =
                Some(format!("write `{} = …`", name.item));
        }
        Term::Bool(true)
    }

    pub(super) fn check_enumerator(
        &mut self,
        facts: &OperationFacts,
        name: &str,
        term: &Term,
        value: Option<&Expr>,
    ) {
        let (Term::Str(text), Some(facts), Some(value)) = (term, facts.attribute(name), value) else {
            return;
        };
        if facts.cases.is_empty() || facts.cases.contains(text) {
            return;
        }
        let help = crate::finding::suggestion(text, facts.cases.iter().map(String::as_str));
        let message = format!("`{name}` has no enumerator `{text}`");
        self.error("relo::check::unknown_enumerator", value.span, message).help = Some(help);
    }

    /// Attributes that have to be there: found now, not by MLIR's verifier.
    fn check_required(
        &mut self,
        operation: &Operation,
        facts: &OperationFacts,
        attributes: &[(String, Term)],
        open: bool,
    ) {
        if open {
            return;
        }
        let missing: Vec<&str> = facts
            .attributes
            .iter()
            .filter(|attribute| attribute.presence == Presence::Required)
            .map(|attribute| attribute.name.as_str())
            .filter(|name| !attributes.iter().any(|(set, _)| set == name))
            .collect();
        if !missing.is_empty() {
            let list = missing.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!("`{}` needs {list}", operation.name.item);
            self.error("relo::check::attribute_missing", operation.name.span, message).help =
                Some(format!("set it in braces: `{{ {} = … }}`", missing[0]));
        }
    }

    fn build_global(
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

    fn site(&mut self, global: &Expr, offset: &Expr, referent: &Expr, span: Span) {
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
}
