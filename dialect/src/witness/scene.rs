//! A module in the making: what a witness is made of, and how it is written.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mlir_sys::mlirTypeParseGet;
use relo_engine::{Datum, Kind, Presence};
use relo_referent::Referent;

use crate::context::Context;
use crate::encode::encode;
use crate::handle::string_ref;
use crate::host::attribute_text;
use crate::rewriter::segments;
use crate::schema::OdsSchema;

/// The function that the operations stand in.
pub(super) const FUNCTION: &str = "witness";

#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    /// Definitions before uses; the last is the root.
    pub(super) operations: Vec<Operation>,
    pub(super) values: Vec<Value>,
    pub(super) symbols: Vec<Symbol>,
    /// The session table: addresses, and symbols by index.
    pub(super) addresses: BTreeMap<u64, Referent>,
    pub(super) globals: BTreeMap<usize, Referent>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Operation {
    pub(super) name: String,
    pub(super) operands: Vec<usize>,
    pub(super) results: Vec<usize>,
    pub(super) attributes: BTreeMap<String, Given>,
    /// The symbol that it is, where it defines one: name and contents are the symbol's.
    pub(super) defines: Option<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Value {
    pub(super) is_result: bool,
    pub(super) origin: Origin,
    pub(super) ty: String,
}

/// Where a value comes from that is no result of an operation.
#[derive(Clone, Debug, Default)]
pub(super) enum Origin {
    /// From outside.
    #[default]
    Argument,
    /// An address at so many bytes from a symbol.
    Address { symbol: usize, offset: i64 },
    /// An address at a distance from a symbol that is not known.
    Indexed { symbol: usize },
    /// A number.
    Number(u64),
}

/// What an attribute is set to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    /// As MLIR writes it.
    Text(String),
    /// A number, of the type that the attribute wants.
    Number(i128),
    /// A symbol.
    Reference(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: String,
    /// The operation that defines it.
    pub(super) operation: &'static str,
    pub(super) words: Words,
    /// Whether something refers to it that is no part of the patterns.
    pub(super) used: bool,
    pub(super) attributes: BTreeMap<String, Given>,
}

/// What a global starts out with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Words {
    Declared,
    Numbers(Vec<u64>),
    Address(usize),
}

pub(super) const GLOBAL: &str = "llvm.mlir.global";
pub(super) const SLOT: &str = "reloc.slot";
pub(super) const RECORD: &str = "reloc.record";
pub(super) const LLVM_FUNCTION: &str = "llvm.func";

/// Some object, for whatever needs a referent.
pub(super) fn object() -> Referent {
    Referent::Object { runtime: "host".into(), key: "object".into(), addend: 0 }
}

impl Scene {
    /// A new symbol.
    pub(super) fn symbol(&mut self, operation: &'static str) -> usize {
        let name = format!("g{}", self.symbols.len());
        let (words, used) = (Words::Declared, false);
        self.symbols.push(Symbol { name, operation, words, used, attributes: BTreeMap::new() });
        self.symbols.len() - 1
    }

    /// Gives the operations the attributes that they can't be without, and makes the root a symbol where it defines one.
    pub(super) fn complete(&mut self, context: &Context) -> Option<()> {
        for index in 0..self.operations.len() {
            let name = self.operations[index].name.clone();
            let facts = OdsSchema.facts(&name)?;
            if facts.symbol {
                let kind = [GLOBAL, SLOT, RECORD, LLVM_FUNCTION].into_iter().find(|kind| *kind == name)?;
                self.operations[index].defines = Some(self.symbol(kind));
                continue;
            }
            if facts.regions {
                return None;
            }
            for attribute in facts.attributes.iter().filter(|one| one.presence == Presence::Required) {
                let given = self.anything(context, &name, &attribute.name)?;
                self.operations[index].attributes.insert(attribute.name.clone(), given);
            }
        }
        Some(())
    }

    /// Something that an attribute can hold.
    pub(super) fn anything(&mut self, context: &Context, operation: &str, name: &str) -> Option<Given> {
        let facts = OdsSchema.facts(operation)?.attribute(name);
        let Some(facts) = facts else { return Some(Given::Text("\"x\"".into())) };
        if facts.constraint.contains("SymbolRef") {
            let kind = match operation {
                "reloc.load" | "reloc.address" if name != "table" => SLOT,
                "reloc.load" => RECORD,
                "llvm.call" | "llvm.invoke" => LLVM_FUNCTION,
                _ => GLOBAL,
            };
            return Some(Given::Reference(self.symbol(kind)));
        }
        let datum = match facts.kind() {
            _ if !facts.cases.is_empty() => Datum::Str(facts.cases[0].clone()),
            Some(Kind::Str) => Datum::Str("x".into()),
            Some(Kind::Bool) => Datum::Bool(true),
            Some(Kind::Int) | None if facts.constraint != "AnyAttr" || operation.contains("constant") => {
                return Some(Given::Number(if name == "alignment" { 8 } else { 0 }));
            }
            Some(Kind::Type) => return Some(Given::Text("i64".into())),
            Some(Kind::Dictionary) => {
                let text = "{addr_space = 0 : i32, linkage = #llvm.linkage<external>}";
                return Some(Given::Text(text.into()));
            }
            Some(Kind::Referent) => Datum::Referent(object()),
            Some(Kind::List) if facts.constraint.starts_with("Dense") => Datum::List(vec![Datum::Int(0)]),
            Some(Kind::List) if facts.constraint.contains("Site") => Datum::List(vec![site()]),
            Some(Kind::List) => Datum::List(Vec::new()),
            _ => return None,
        };
        self.given(context, operation, name, &datum)
    }

    /// What an attribute is set to for a datum.
    pub(super) fn given(
        &self,
        context: &Context,
        operation: &str,
        name: &str,
        datum: &Datum,
    ) -> Option<Given> {
        let refers = OdsSchema.constraint(operation, name).contains("SymbolRef");
        match datum {
            Datum::Symbol(symbol) | Datum::Str(symbol) if refers => {
                Some(Given::Reference(self.symbols.iter().position(|one| one.name == *symbol)?))
            }
            Datum::Int(number) => Some(Given::Number(*number)),
            datum => {
                let made = encode(context.raw(), operation, name, datum, None).ok()??;
                Some(Given::Text(attribute_text(made)))
            }
        }
    }

    /// The attributes of an operation.
    pub(super) fn attributes(&mut self, operation: usize) -> &mut BTreeMap<String, Given> {
        match self.operations[operation].defines {
            Some(symbol) => &mut self.symbols[symbol].attributes,
            None => &mut self.operations[operation].attributes,
        }
    }

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

/// A site at the beginning of a global.
pub(super) fn site() -> Datum {
    Datum::List(vec![Datum::Int(0), Datum::Int(64), Datum::Referent(object())])
}

/// A symbol's name as it stands behind `@`.
fn quoted(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c));
    if is_plain { name.to_owned() } else { format!("{name:?}") }
}
