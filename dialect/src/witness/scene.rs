//! A module in the making: what a witness is made of.

use std::collections::BTreeMap;

use relo_engine::{Datum, Kind, Presence};
use relo_referent::Referent;

use crate::context::Context;
use crate::encode::encode;
use crate::host::attribute_text;
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
}

/// A site at the beginning of a global.
pub(super) fn site() -> Datum {
    Datum::List(vec![Datum::Int(0), Datum::Int(64), Datum::Referent(object())])
}
