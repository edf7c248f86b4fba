//! The facts of operations, from the dialects' ODS records: listed by the build script, sorted by name.

mod encoding;
mod operations;

use std::sync::{LazyLock, OnceLock};

use relo_engine::{AttributeFacts, OperationFacts, Presence, Schema, SiteKind};
use relo_referent::Action;

pub use encoding::Encoding;
use operations::{Argument, Attribute, OPERATIONS, Operation};

/// The operations of the builtin, LLVM, NVVM, ROCDL and reloc dialects.
#[derive(Clone, Copy, Debug, Default)]
pub struct OdsSchema;

impl OdsSchema {
    /// How the enumerators of an attribute are written, where it is an enumeration.
    pub fn encoding(&self, operation: &str, attribute: &str) -> Option<&'static Encoding> {
        find_attribute(operation, attribute)?.encoding
    }

    /// The name of an attribute's ODS constraint; empty where the operation has no such attribute.
    pub fn constraint(&self, operation: &str, attribute: &str) -> &'static str {
        find_attribute(operation, attribute).map_or("", |attribute| attribute.constraint)
    }

    /// Whether an attribute is kept as a property of its own kind: `llvm.getelementptr`'s `noWrapFlags`. It is written
    /// like the others in MLIR's generic form, but what gets and sets attributes by name, PDL included, passes it by.
    pub fn is_property(&self, operation: &str, attribute: &str) -> bool {
        find_attribute(operation, attribute).is_some_and(|attribute| attribute.property)
    }

    /// The properties of that kind that an operation has.
    pub fn properties(&self, operation: &str) -> impl Iterator<Item = &'static str> + use<> {
        let attributes = find(operation).map_or(&[][..], |operation| operation.attributes);
        attributes.iter().filter(|attribute| attribute.property).map(|attribute| attribute.name)
    }

    /// The facts of an operation, by full name, where they lie.
    pub fn facts(&self, name: &str) -> Option<&'static OperationFacts> {
        static FACTS: LazyLock<Vec<OnceLock<OperationFacts>>> =
            LazyLock::new(|| OPERATIONS.iter().map(|_| OnceLock::new()).collect());
        let index = index_of(name)?;
        Some(FACTS.get(index)?.get_or_init(|| facts(&OPERATIONS[index])))
    }

    /// Whether the operation has to be told how many operands each group has.
    pub fn has_segments(&self, operation: &str) -> bool {
        find(operation).is_some_and(|operation| operation.segments)
    }
}

impl Schema for OdsSchema {
    fn operation(&self, name: &str) -> Option<OperationFacts> {
        self.facts(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        OPERATIONS.iter().map(|operation| operation.name.to_owned()).collect()
    }

    fn site_operations(&self, site: SiteKind) -> &'static [&'static str] {
        match site {
            SiteKind::Slot => &["reloc.slot", "reloc.load", "reloc.address"],
            SiteKind::Record => &["reloc.record", "reloc.address"],
        }
    }

    fn planned_fields(&self, action: Action) -> &'static [&'static str] {
        match action {
            Action::Table => &["strategy", "index", "table"],
            action if action.is_ordered() => &["strategy", "index"],
            _ => &["strategy"],
        }
    }
}

fn find(name: &str) -> Option<&'static Operation> {
    OPERATIONS.get(index_of(name)?)
}

fn index_of(name: &str) -> Option<usize> {
    OPERATIONS.binary_search_by(|operation| operation.name.cmp(name)).ok()
}

fn find_attribute(operation: &str, name: &str) -> Option<&'static Attribute> {
    find(operation)?.attributes.iter().find(|attribute| attribute.name == name)
}

fn facts(operation: &Operation) -> OperationFacts {
    let owned = |list: &[Argument]| -> Vec<(String, Presence)> {
        list.iter().map(|(name, presence)| ((*name).to_owned(), *presence)).collect()
    };
    OperationFacts {
        operands: owned(operation.operands),
        attributes: operation.attributes.iter().map(attribute_facts).collect(),
        results: owned(operation.results),
        regions: operation.regions,
        successors: operation.successors,
        symbol: operation.symbol,
    }
}

fn attribute_facts(attribute: &Attribute) -> AttributeFacts {
    AttributeFacts {
        name: attribute.name.to_owned(),
        presence: attribute.presence,
        constraint: attribute.constraint.to_owned(),
        cases: attribute.encoding.map(Encoding::cases).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
