//! A scene as a module in MLIR, and as a session table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mlir_sys::mlirTypeParseGet;
use relo_engine::Datum;

use super::scene::{
    FUNCTION, GLOBAL, Given, LLVM_FUNCTION, Origin, RECORD, SLOT, Scene, Symbol, Words, object,
};
use crate::context::Context;
use crate::encode::encode;
use crate::handle::string_ref;
use crate::host::attribute_text;
use crate::rewriter::segments;
use crate::schema::OdsSchema;

impl Scene {
    /// Whether code refers to a symbol in the patterns themselves.
    fn is_referred(&self, symbol: usize) -> bool {
        let given = |attributes: &BTreeMap<String, Given>| {
            attributes.values().any(|given| *given == Given::Reference(symbol))
        };
        self.operations.iter().any(|operation| given(&operation.attributes))
            || self.symbols.iter().any(|one| given(&one.attributes) || one.words == Words::Address(symbol))
            || self.values.iter().any(|value| match value.origin {
                Origin::Address { symbol: of, .. } | Origin::Indexed { symbol: of } => of == symbol,
                _ => false,
            })
    }

    /// The session table, as JSON; nothing where there is none.
    pub(super) fn session(&self) -> Option<String> {
        let addresses = self.addresses.iter().map(|(address, referent)| {
            serde_json::json!({ "address": format!("{address:#x}"), "target": referent })
        });
        let globals = self.globals.iter().map(
            |(symbol, referent)| serde_json::json!({ "global": self.symbols[*symbol].name, "target": referent }),
        );
        let entries: Vec<serde_json::Value> = addresses.chain(globals).collect();
        (!entries.is_empty()).then(|| serde_json::json!({ "entries": entries }).to_string())
    }

    /// The module in MLIR; `None` where something does not fit.
    pub(super) fn text(&self, context: &Context, word: &str) -> Option<String> {
        let mut text = String::new();
        for symbol in &self.symbols {
            let _ = writeln!(text, "{}", self.symbol_text(context, symbol, word)?);
        }
        for (index, symbol) in self.symbols.iter().enumerate() {
            if symbol.used && !self.is_referred(index) {
                let operation = match symbol.operation {
                    SLOT | RECORD => "reloc.address",
                    _ => "llvm.mlir.addressof",
                };
                let name = quoted(&symbol.name);
                let _ = writeln!(
                    text,
                    "llvm.func @user_{index}() {{\n  %0 = {operation} @{name} : !llvm.ptr\n  llvm.return\n}}"
                );
            }
        }
        if self.operations.iter().any(|operation| operation.defines.is_none()) {
            let _ = writeln!(text, "{}", self.function(context)?);
        }
        Some(text)
    }

    fn function(&self, context: &Context) -> Option<String> {
        let (mut arguments, mut body) = (Vec::new(), String::new());
        for (index, value) in self.values.iter().enumerate().filter(|(_, value)| !value.is_result) {
            let name = |symbol: usize| quoted(&self.symbols[symbol].name);
            let _ = match &value.origin {
                Origin::Argument => {
                    arguments.push(format!("%v{index}: {}", value.ty));
                    Ok(())
                }
                Origin::Number(number) => {
                    writeln!(
                        body,
                        "  %v{index} = llvm.mlir.constant({} : {1}) : {1}",
                        number.cast_signed(),
                        value.ty
                    )
                }
                Origin::Address { symbol, offset: 0 } => {
                    writeln!(body, "  %v{index} = llvm.mlir.addressof @{} : !llvm.ptr", name(*symbol))
                }
                Origin::Address { symbol, offset } => writeln!(
                    body,
                    "  %b{index} = llvm.mlir.addressof @{} : !llvm.ptr\n  \
                     %v{index} = llvm.getelementptr %b{index}[{offset}] : (!llvm.ptr) -> !llvm.ptr, i8",
                    name(*symbol)
                ),
                Origin::Indexed { symbol } => {
                    arguments.push(format!("%i{index}: i64"));
                    writeln!(
                        body,
                        "  %b{index} = llvm.mlir.addressof @{} : !llvm.ptr\n  \
                         %v{index} = llvm.getelementptr %b{index}[%i{index}] : (!llvm.ptr, i64) -> !llvm.ptr, i8",
                        name(*symbol)
                    )
                }
            };
        }
        for operation in self.operations.iter().filter(|operation| operation.defines.is_none()) {
            let list = |values: &[usize], part: &dyn Fn(usize) -> String| {
                values.iter().map(|value| part(*value)).collect::<Vec<_>>().join(", ")
            };
            let named = |value: usize| format!("%v{value}");
            let typed = |value: usize| self.values[value].ty.clone();
            let results = list(&operation.results, &named);
            let ty = operation.results.first().map(|value| self.values[*value].ty.as_str());
            let mut attributes = operation.attributes.clone();
            if OdsSchema.has_segments(&operation.name) {
                let sizes = segments(&operation.name, operation.operands.len());
                let sizes = sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                attributes
                    .entry("operandSegmentSizes".into())
                    .or_insert_with(|| Given::Text(format!("array<i32: {sizes}>")));
            }
            let _ = writeln!(
                body,
                "  {results}{}\"{}\"({}) {} : ({}) -> ({})",
                if results.is_empty() { "" } else { " = " },
                operation.name,
                list(&operation.operands, &named),
                self.dictionaries(context, &operation.name, &attributes, ty, "")?,
                list(&operation.operands, &typed),
                list(&operation.results, &typed),
            );
        }
        let last = self.operations.last().map(|root| root.name.as_str());
        if !matches!(last, Some("llvm.unreachable" | "llvm.return")) {
            body.push_str("  llvm.return\n");
        }
        Some(format!("llvm.func @{FUNCTION}({}) {{\n{body}}}", arguments.join(", ")))
    }

    fn symbol_text(&self, context: &Context, symbol: &Symbol, word: &str) -> Option<String> {
        let text = |text: &str| Given::Text(text.to_owned());
        let mut attributes = symbol.attributes.clone();
        let mut set = |name: &str, given: Given| {
            attributes.entry(name.to_owned()).or_insert(given);
        };
        let mut region = " ({})".to_owned();
        set("sym_name", Given::Text(format!("{:?}", symbol.name)));
        let (ty, value) = match &symbol.words {
            Words::Declared => (word.to_owned(), None),
            Words::Address(of) => {
                let name = quoted(&self.symbols[*of].name);
                region = format!(
                    " ({{\n  %0 = llvm.mlir.addressof @{name} : !llvm.ptr\n  llvm.return %0 : !llvm.ptr\n}})"
                );
                ("!llvm.ptr".to_owned(), None)
            }
            Words::Numbers(numbers) => match numbers[..] {
                [number] => (word.to_owned(), Some(format!("{} : {word}", number.cast_signed()))),
                _ => {
                    let list =
                        numbers.iter().map(|number| number.cast_signed().to_string()).collect::<Vec<_>>();
                    let count = numbers.len();
                    let value = format!("dense<[{}]> : tensor<{count}x{word}>", list.join(", "));
                    (format!("!llvm.array<{count} x {word}>"), Some(value))
                }
            },
        };
        match symbol.operation {
            SLOT => {
                set("type", text(word));
                set("referent", Given::Text(format!("#reloc.{}", object())));
                region.clear();
            }
            LLVM_FUNCTION => {
                set("function_type", text("!llvm.func<void ()>"));
                set("linkage", text("#llvm.linkage<external>"));
                set("CConv", text("#llvm.cconv<ccc>"));
                set("visibility_", text("0 : i64"));
            }
            kind => {
                set("global_type", text(&ty));
                if let Some(value) = value {
                    set("value", Given::Text(value));
                }
                if kind == GLOBAL {
                    set("linkage", text("#llvm.linkage<external>"));
                    set("addr_space", text("0 : i32"));
                } else {
                    let width = word.trim_start_matches('i');
                    set("value", Given::Text(format!("0 : {word}")));
                    set("sites", Given::Text(format!("[#reloc.site<0 : {width} -> #reloc.{}>]", object())));
                }
            }
        }
        let dictionaries = self.dictionaries(context, symbol.operation, &attributes, None, &region)?;
        Some(format!("\"{}\"() {dictionaries} : () -> ()", symbol.operation))
    }

    /// An operation's own attributes, its region, then the others.
    fn dictionaries(
        &self,
        context: &Context,
        operation: &str,
        attributes: &BTreeMap<String, Given>,
        result: Option<&str>,
        region: &str,
    ) -> Option<String> {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for (name, given) in attributes {
            let value = match given {
                Given::Text(text) => text.clone(),
                Given::Reference(symbol) => format!("@{}", quoted(&self.symbols[*symbol].name)),
                Given::Number(number) => {
                    // SAFETY: the context and the text are alive.
                    let ty = result.map(|ty| unsafe { mlirTypeParseGet(context.raw(), string_ref(ty)) });
                    let ty = ty.filter(|ty| !ty.ptr.is_null());
                    attribute_text(encode(context.raw(), operation, name, &Datum::Int(*number), ty).ok()??)
                }
            };
            let is_own =
                name == "operandSegmentSizes" || OdsSchema.facts(operation)?.attribute(name).is_some();
            let list = if is_own { &mut own } else { &mut others };
            list.push(format!("{name} = {value}"));
        }
        Some(format!("<{{{}}}>{region} {{{}}}", own.join(", "), others.join(", ")))
    }
}

/// A symbol's name as it stands behind `@`.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c));
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}
