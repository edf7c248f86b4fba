//! The `pdl.rewrite` of a rule's pattern.

use std::fmt::Write as _;

use mlir_sys::{MlirContext, MlirType, mlirTypeParseGet};
use relo_engine::normal::{AttributeTest, BindingId, Construction, Outcome, RootFate, Term};
use relo_engine::{Datum, Kind};

use super::{Use, Writer, list, native_name};
use crate::encode::encode;
use crate::handle::{string_ref, type_handle};
use crate::host::attribute_text;
use crate::rewriter::segments;
use crate::schema::OdsSchema;

impl Writer<'_> {
    pub(super) fn outcome(&mut self) -> Result<(), String> {
        let root = self.rule.operations.len() - 1;
        match &self.rule.outcome {
            Outcome::Reject { .. } => {
                self.native(&native_name(self.rule, "reject"), &[], None);
            }
            Outcome::Rewrite { constructions, root: fate } => {
                self.native(&native_name(self.rule, "begin"), &[], None);
                for (index, construction) in constructions.iter().enumerate() {
                    self.construction(index, construction)?;
                }
                match fate {
                    RootFate::Erased => {
                        let _ = writeln!(self.rewrite, "    pdl.erase %op{root}");
                    }
                    RootFate::Replaced(bindings) => {
                        let name = self.rule.root().name.clone();
                        let values: Vec<(String, &str)> = bindings
                            .iter()
                            .map(|binding| (self.value(&name, &Term::Binding(*binding)), "!pdl.value"))
                            .collect();
                        self.carry(constructions, bindings);
                        let _ = writeln!(self.rewrite, "    pdl.replace %op{root} with{}", list(&values));
                    }
                }
            }
        }
        Ok(())
    }

    /// The root's discardable attributes go over to the operation that replaces it.
    fn carry(&mut self, constructions: &[Construction], bindings: &[BindingId]) {
        if !self.rule.carry_attributes {
            return;
        }
        for construction in constructions {
            if let Construction::Operation { results, .. } = construction
                && results.iter().any(|result| bindings.contains(result))
                && let Some((name, "!pdl.value")) =
                    results.first().and_then(|result| self.built.get(result)).cloned()
            {
                self.native("carry", &[(name, "!pdl.value")], None);
            }
        }
    }

    fn construction(&mut self, index: usize, construction: &Construction) -> Result<(), String> {
        match construction {
            Construction::Operation { name, operands, attributes, spread, types, results, .. }
                if spread.is_none()
                    && operands.iter().all(|operand| self.is_single(operand))
                    && !attributes
                        .iter()
                        .any(|(attribute, term)| self.may_be_left_out(name, attribute, term)) =>
            {
                self.operation(name, operands, attributes, types, results)
            }
            Construction::Builder { result, .. } => {
                let kind = result.map(|binding| (binding, self.rule.bindings[binding.0].kind));
                self.built_by_native(index, kind);
                Ok(())
            }
            Construction::Operation { results, .. } => {
                self.built_by_native(index, results.first().map(|binding| (*binding, Kind::Value)));
                Ok(())
            }
            Construction::Global { .. } => {
                self.built_by_native(index, None);
                Ok(())
            }
        }
    }

    /// Whether a term is one value: a list of operands is built by a native.
    fn is_single(&self, term: &Term) -> bool {
        !matches!(term, Term::Binding(binding) if self.rule.bindings[binding.0].kind == Kind::List)
    }

    /// Whether an attribute may be left out once the rule fires: an optional one that is absent, a unit that is false.
    fn may_be_left_out(&self, operation: &str, attribute: &str, term: &Term) -> bool {
        let Term::Binding(binding) = term else { return false };
        let unit = matches!(self.rule.bindings[binding.0].kind, Kind::Any | Kind::Bool)
            && !matches!(OdsSchema.constraint(operation, attribute), "BoolAttr" | "I1Attr");
        let mut patterns = self.rule.operations.iter().flat_map(|operation| &operation.attributes);
        unit || patterns.any(|attribute| attribute.test == AttributeTest::BindOptional(*binding))
    }

    fn built_by_native(&mut self, index: usize, result: Option<(BindingId, Kind)>) {
        let handed: Vec<BindingId> = self.built.keys().copied().collect();
        let arguments: Vec<(String, &str)> = self.built.values().cloned().collect();
        let name = format!("{}#{index}", native_name(self.rule, "build"));
        self.compiled.natives.push((index, handed));
        let made = result.map(|(binding, kind)| {
            let ty = match kind {
                Kind::Value => "!pdl.value",
                Kind::Type => "!pdl.type",
                _ => "!pdl.attribute",
            };
            let value = self.fresh();
            self.built.insert(binding, (value.clone(), ty));
            (value, ty)
        });
        self.native(&name, &arguments, made);
    }

    /// A call of a native in the rewrite; its first argument is the root.
    fn native(&mut self, name: &str, arguments: &[(String, &str)], result: Option<(String, &str)>) {
        let root = format!("%op{}", self.rule.operations.len() - 1);
        let mut all = vec![(root, "!pdl.operation")];
        all.extend(arguments.iter().cloned());
        let (left, right) = result.map_or((String::new(), String::new()), |(value, ty)| {
            (format!("{value} = "), format!(" : {ty}"))
        });
        let _ = writeln!(self.rewrite, "    {left}pdl.apply_native_rewrite {name:?}{}{right}", list(&all));
    }

    fn operation(
        &mut self,
        name: &str,
        operands: &[Term],
        attributes: &[(String, Term)],
        types: &[Term],
        results: &[BindingId],
    ) -> Result<(), String> {
        let values: Vec<(String, &str)> =
            operands.iter().map(|operand| (self.value(name, operand), "!pdl.value")).collect();
        let mut named = Vec::new();
        for (attribute, term) in attributes {
            if let Some(value) = self.attribute(name, attribute, term, types.first())? {
                named.push(format!("{attribute:?} = {value}"));
            }
        }
        if OdsSchema.has_segments(name) {
            let value = self.fresh();
            let sizes: Vec<String> = segments(name, operands.len()).iter().map(i32::to_string).collect();
            let sizes = sizes.join(", ");
            let _ = writeln!(self.rewrite, "    {value} = pdl.attribute = array<i32: {sizes}>");
            named.push(format!("\"operandSegmentSizes\" = {value}"));
        }
        let attributes = if named.is_empty() { String::new() } else { format!(" {{{}}}", named.join(", ")) };
        let types: Vec<(String, &str)> = types.iter().map(|ty| (self.ty(name, ty), "!pdl.type")).collect();
        let arrow = if types.is_empty() { String::new() } else { format!(" ->{}", list(&types)) };
        let op = self.fresh();
        let _ =
            writeln!(self.rewrite, "    {op} = pdl.operation {name:?}{}{attributes}{arrow}", list(&values));
        for (index, binding) in results.iter().enumerate() {
            let value = self.fresh();
            let _ = writeln!(self.rewrite, "    {value} = pdl.result {index} of {op}");
            self.built.insert(*binding, (value, "!pdl.value"));
        }
        Ok(())
    }

    fn value(&mut self, operation: &str, term: &Term) -> String {
        if let Term::Binding(binding) = term
            && let Some((name, _)) = self.built.get(binding)
        {
            return name.clone();
        }
        self.computed(Use::Value { operation: operation.to_owned(), term: term.clone() })
    }

    fn ty(&mut self, operation: &str, term: &Term) -> String {
        match term {
            Term::Type(text) => {
                let name = self.fresh();
                let _ = writeln!(self.rewrite, "    {name} = pdl.type : {text}");
                name
            }
            Term::Binding(binding) if self.built.contains_key(binding) => self.built[binding].0.clone(),
            // PDL takes the type of a new result from a constant or a native rewrite, not from a constraint.
            term => {
                let computed =
                    self.computed(Use::Type { operation: operation.to_owned(), term: term.clone() });
                let value = self.fresh();
                self.native("type", &[(computed, "!pdl.type")], Some((value.clone(), "!pdl.type")));
                value
            }
        }
    }

    /// An attribute's value; `None` where it is left out.
    fn attribute(
        &mut self,
        operation: &str,
        name: &str,
        term: &Term,
        result: Option<&Term>,
    ) -> Result<Option<String>, String> {
        let constant = match term {
            Term::Absent => return Ok(None),
            Term::Bool(value) => Some(Datum::Bool(*value)),
            Term::Int(number) => Some(Datum::Int(*number)),
            Term::Str(text) => Some(Datum::Str(text.clone())),
            Term::Type(text) => parse_type(self.context, text).map(|ty| Datum::Type(type_handle(ty))),
            _ => None,
        };
        let result_type = match result {
            Some(Term::Type(text)) => parse_type(self.context, text),
            _ => None,
        };
        // A number takes the type of the operation's result, which may be known only when the rule fires.
        let waits = matches!(term, Term::Int(_)) && matches!(result, Some(Term::Binding(_)));
        if let (Some(datum), false) = (constant, waits) {
            let Some(made) = encode(self.context, operation, name, &datum, result_type)? else {
                return Ok(None);
            };
            let value = self.fresh();
            let _ = writeln!(self.rewrite, "    {value} = pdl.attribute = {}", attribute_text(made));
            return Ok(Some(value));
        }
        if let Term::Binding(binding) = term
            && let Some((value, _)) = self.built.get(binding)
        {
            return Ok(Some(value.clone()));
        }
        Ok(Some(self.computed(Use::Attribute {
            operation: operation.to_owned(),
            name: name.to_owned(),
            term: term.clone(),
            result: result.cloned(),
        })))
    }

    fn computed(&mut self, wanted: Use) -> String {
        let index = self.compiled.uses.iter().position(|known| *known == wanted).unwrap_or_else(|| {
            self.compiled.uses.push(wanted);
            self.compiled.uses.len() - 1
        });
        format!("%u{index}")
    }
}

fn parse_type(context: MlirContext, text: &str) -> Option<MlirType> {
    // SAFETY: context and text are alive; what does not parse is null.
    let parsed = unsafe { mlirTypeParseGet(context, string_ref(text)) };
    (!parsed.ptr.is_null()).then_some(parsed)
}
