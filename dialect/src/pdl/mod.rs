//! A rule's normal form as one PDL pattern.
//!
//! PDL matches the shape: operations, the operands that link them, attributes that are constants. One native
//! constraint decides all the rest and computes what the rewrite needs, so that rewrites can't fail; what PDL can't
//! build (regions, spread attributes, lists of operands) is a native of its own.

mod building;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mlir_sys::MlirContext;
use relo_engine::Datum;
use relo_engine::normal::{
    AttributeTest, BindingId, OperandPattern, OperandsPattern, OperationPattern, RestPattern, Rule, Term,
};

use crate::encode::encode;
use crate::host::attribute_text;
use crate::schema::OdsSchema;

/// What a constraint has to compute for the rewrite, in the order of its results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Use {
    /// An attribute of an operation that is built.
    Attribute {
        operation: String,
        name: String,
        term: Term,
        /// The type of the operation's result.
        result: Option<Term>,
    },
    /// The type of a result of an operation that is built.
    Type { operation: String, term: Term },
    /// An operand of an operation that is built.
    Value { operation: String, term: Term },
}

/// A rule as PDL text, with what the natives of its pattern stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compiled {
    /// The `pdl.pattern`.
    pub(crate) text: String,
    /// What the constraint computes.
    pub(crate) uses: Vec<Use>,
    /// The constructions that natives build, by index, with the built bindings that they are handed.
    pub(crate) natives: Vec<(usize, Vec<BindingId>)>,
}

/// The name of a rule's constraint, and the stem of its other natives.
pub(crate) fn native_name(rule: &Rule, what: &str) -> String {
    format!("{what}:{}", rule.path)
}

/// Compiles a rule, to a pattern that is tried before those of lower benefits in its set.
///
/// # Errors
/// What does not fit, as a sentence.
pub(crate) fn compile(context: MlirContext, rule: &Rule, benefit: usize) -> Result<Compiled, String> {
    let mut writer = Writer {
        context,
        rule,
        benefit,
        shown: if rule.operations.iter().all(is_linkable) { rule.operations.len() } else { 1 },
        body: String::new(),
        rewrite: String::new(),
        compiled: Compiled::default(),
        built: BTreeMap::new(),
        counter: 0,
    };
    writer.operations()?;
    writer.outcome()?;
    Ok(writer.finish())
}

/// Whether PDL can follow an operation's operands. To it, what follows those that are written out is one of the groups
/// that the operation sizes, and there may be none.
fn is_linkable(pattern: &OperationPattern) -> bool {
    let OperandsPattern::List { fixed, rest } = &pattern.operands else { return true };
    *rest == RestPattern::None
        || !OdsSchema.has_segments(&pattern.name)
        || !fixed.iter().any(|operand| matches!(operand, OperandPattern::ResultOf { .. }))
}

struct Writer<'a> {
    context: MlirContext,
    rule: &'a Rule,
    benefit: usize,
    /// How many operations of the rule, the root last, PDL matches; the constraint finds the others.
    shown: usize,
    body: String,
    rewrite: String,
    compiled: Compiled,
    /// What a construction made: the PDL value and its type.
    built: BTreeMap<BindingId, (String, &'static str)>,
    counter: usize,
}

impl Writer<'_> {
    fn fresh(&mut self) -> String {
        self.counter += 1;
        format!("%n{}", self.counter)
    }

    fn operations(&mut self) -> Result<(), String> {
        let rule = self.rule;
        for (index, pattern) in rule.operations.iter().enumerate().skip(rule.operations.len() - self.shown) {
            let whatever = &OperandsPattern::Any;
            let operands = if self.shown == rule.operations.len() { &pattern.operands } else { whatever };
            let operands = self.matched_operands(index, operands);
            let mut attributes = Vec::new();
            let is_root = index + 1 == rule.operations.len();
            if let (true, Some(strategy)) = (is_root, &rule.strategy) {
                let _ = writeln!(self.body, "  %s = pdl.attribute = {strategy:?}");
                attributes.push("\"strategy\" = %s".to_owned());
            }
            for (at, attribute) in pattern.attributes.iter().enumerate() {
                // A quick filter where the term is an enumerator; the constraint decides anyway.
                if let AttributeTest::Equals(Term::Str(text)) = &attribute.test
                    && OdsSchema.encoding(&pattern.name, &attribute.name).is_some()
                    && !OdsSchema.is_property(&pattern.name, &attribute.name)
                    && let Some(made) =
                        encode(self.context, &pattern.name, &attribute.name, &Datum::Str(text.clone()), None)?
                {
                    let _ =
                        writeln!(self.body, "  %a{index}_{at} = pdl.attribute = {}", attribute_text(made));
                    attributes.push(format!("{:?} = %a{index}_{at}", attribute.name));
                }
            }
            let attributes =
                if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
            let _ = writeln!(self.body, "  %ts{index} = pdl.types");
            let _ = writeln!(
                self.body,
                "  %op{index} = pdl.operation {:?}{operands}{attributes} -> (%ts{index} : !pdl.range<type>)",
                pattern.name
            );
        }
        Ok(())
    }

    /// Declares the operands of an operation to match; gives what stands behind its name.
    fn matched_operands(&mut self, index: usize, operands: &OperandsPattern) -> String {
        let mut values: Vec<(String, &str)> = Vec::new();
        match operands {
            OperandsPattern::Any => {
                let _ = writeln!(self.body, "  %os{index} = pdl.operands");
                values.push((format!("%os{index}"), "!pdl.range<value>"));
            }
            OperandsPattern::List { fixed, rest } => {
                let linked = fixed.iter().any(|operand| matches!(operand, OperandPattern::ResultOf { .. }));
                if *rest == RestPattern::None || linked {
                    for (at, operand) in fixed.iter().enumerate() {
                        let name = format!("%o{index}_{at}");
                        let _ = match operand {
                            OperandPattern::ResultOf { operation, result } => {
                                writeln!(self.body, "  {name} = pdl.result {result} of %op{operation}")
                            }
                            _ => writeln!(self.body, "  {name} = pdl.operand"),
                        };
                        values.push((name, "!pdl.value"));
                    }
                }
                if *rest != RestPattern::None {
                    let _ = writeln!(self.body, "  %os{index} = pdl.operands");
                    values.push((format!("%os{index}"), "!pdl.range<value>"));
                }
            }
        }
        list(&values)
    }

    fn finish(mut self) -> Compiled {
        let all = self.rule.operations.len();
        let operations: Vec<(String, &str)> =
            (all - self.shown..all).map(|index| (format!("%op{index}"), "!pdl.operation")).collect();
        let results: Vec<(String, &str)> = self
            .compiled
            .uses
            .iter()
            .enumerate()
            .map(|(index, wanted)| {
                let ty = match wanted {
                    Use::Attribute { .. } => "!pdl.attribute",
                    Use::Type { .. } => "!pdl.type",
                    Use::Value { .. } => "!pdl.value",
                };
                (format!("%u{index}"), ty)
            })
            .collect();
        let left: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
        let right: Vec<&str> = results.iter().map(|(_, ty)| *ty).collect();
        let (left, right) = if results.is_empty() {
            (String::new(), String::new())
        } else {
            (format!("{} = ", left.join(", ")), format!(" : {}", right.join(", ")))
        };
        let place = place(self.rule);
        let constraint = native_name(self.rule, "holds");
        self.compiled.text = format!(
            "pdl.pattern @{:?} : benefit({}) {{\n{}  {left}pdl.apply_native_constraint {constraint:?}{}{right}\n  \
             pdl.rewrite %op{} {{\n{}  }}\n}} {place}\n",
            self.rule.path,
            self.benefit,
            self.body,
            list(&operations),
            self.rule.operations.len() - 1,
            self.rewrite
        );
        self.compiled
    }
}

/// `loc("core/patch.relo":12:7)`: MLIR's diagnostics about the pattern point at the rule.
fn place(rule: &Rule) -> String {
    let before = &rule.source.text[..rule.span.start.min(rule.source.text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    format!("loc({:?}:{line}:{column})", rule.source.name)
}

/// `(%a, %b : !pdl.value, !pdl.value)`; nothing for nothing.
fn list(values: &[(String, &str)]) -> String {
    if values.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<&str> = values.iter().map(|(_, ty)| *ty).collect();
    format!("({} : {})", names.join(", "), types.join(", "))
}
