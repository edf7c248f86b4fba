//! The facts of operations, from the dialects' ODS records: a table that the build script makes.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use relo_engine::{AttributeFacts, OperationFacts, Presence, Schema};

/// How an enumeration's value stands in the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// An integer attribute.
    Integer {
        /// Its width in bits.
        width: u32,
        /// Names and values.
        cases: Vec<(String, i64)>,
    },
    /// An attribute of a dialect: `#llvm.linkage<weak_odr>`.
    Dialect {
        /// What stands before the angle bracket.
        prefix: String,
    },
}

/// The operations of the LLVM, NVVM, ROCDL and reloc dialects.
#[derive(Clone, Copy, Debug, Default)]
pub struct OdsSchema;

struct Entry {
    facts: OperationFacts,
    encodings: BTreeMap<String, Encoding>,
    segments: bool,
}

/// An attribute as the build script writes it: name, presence, constraint, encoding, cases.
type RawAttribute = (String, String, String, String, Vec<(String, i64)>);

#[derive(serde::Deserialize)]
struct RawOperation {
    operands: Vec<(String, String)>,
    attributes: Vec<RawAttribute>,
    results: Vec<(String, String)>,
    regions: bool,
    successors: bool,
    symbol: bool,
    segments: bool,
}

fn table() -> &'static HashMap<String, Entry> {
    static TABLE: OnceLock<HashMap<String, Entry>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let raw: BTreeMap<String, RawOperation> =
            serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/ods.json")))
                .expect("the build script writes this shape");
        raw.into_iter().map(|(name, operation)| (name, entry(operation))).collect()
    })
}

fn entry(raw: RawOperation) -> Entry {
    let mut encodings = BTreeMap::new();
    let mut attributes = Vec::new();
    for (name, presence, constraint, encoding, cases) in raw.attributes {
        if let Some(width) = encoding.strip_prefix('i').and_then(|width| width.parse().ok()) {
            encodings.insert(name.clone(), Encoding::Integer { width, cases: cases.clone() });
        } else if encoding.starts_with('#') {
            encodings.insert(name.clone(), Encoding::Dialect { prefix: encoding });
        }
        attributes.push(AttributeFacts {
            name,
            presence: presence_of(&presence),
            constraint,
            cases: cases.into_iter().map(|(case, _)| case).collect(),
        });
    }
    let named = |list: Vec<(String, String)>| {
        list.into_iter().map(|(name, presence)| (name, presence_of(&presence))).collect()
    };
    let facts = OperationFacts {
        operands: named(raw.operands),
        attributes,
        results: named(raw.results),
        regions: raw.regions,
        successors: raw.successors,
        symbol: raw.symbol,
    };
    Entry { facts, encodings, segments: raw.segments }
}

fn presence_of(text: &str) -> Presence {
    match text {
        "required" => Presence::Required,
        "optional" => Presence::Optional,
        _ => Presence::Variadic,
    }
}

impl OdsSchema {
    /// How the enumerators of an attribute are written, where it is an enumeration.
    pub fn encoding(&self, operation: &str, attribute: &str) -> Option<&'static Encoding> {
        table().get(operation)?.encodings.get(attribute)
    }

    /// The facts of an operation, by full name, where they lie.
    pub fn facts(&self, name: &str) -> Option<&'static OperationFacts> {
        table().get(name).map(|entry| &entry.facts)
    }

    /// Whether the operation has to be told how many operands each group has.
    pub fn has_segments(&self, operation: &str) -> bool {
        table().get(operation).is_some_and(|entry| entry.segments)
    }
}

impl Schema for OdsSchema {
    fn operation(&self, name: &str) -> Option<OperationFacts> {
        self.facts(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = table().keys().cloned().collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_how_enumerators_are_written() {
        let schema = OdsSchema;
        let Some(Encoding::Integer { width: 64, cases }) = schema.encoding("llvm.icmp", "predicate") else {
            panic!("a predicate is an i64");
        };
        assert_eq!(cases[0], ("eq".to_owned(), 0));
        let linkage = schema.encoding("llvm.mlir.global", "linkage");
        assert_eq!(linkage, Some(&Encoding::Dialect { prefix: "#llvm.linkage".into() }));
    }

    #[test]
    fn knows_operands_symbols_and_segments() {
        let schema = OdsSchema;
        let load = schema.operation("llvm.load").expect("it exists");
        assert_eq!(load.operands, [("addr".to_owned(), Presence::Required)]);
        assert_eq!(load.attribute("ordering").map(|facts| facts.presence), Some(Presence::Variadic));
        assert!(schema.operation("llvm.mlir.global").expect("it exists").symbol);
        assert!(schema.has_segments("llvm.call"));
        assert_eq!(schema.operation("reloc.load").expect("it exists").symbol_attribute(), Some("slot"));
    }
}
