//! What the checker knows of operations: the dialects' own ODS records, behind a trait.

use relo_referent::Action;

use crate::datum::Kind;
use crate::plan::SiteKind;

/// Whether an attribute, operand or result has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Presence {
    /// Exactly one.
    Required,
    /// One or none.
    Optional,
    /// Any number (operands and results), or a default where absent (attributes).
    Variadic,
}

/// An attribute of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeFacts {
    /// Its name.
    pub name: String,
    /// Whether it has to be there.
    pub presence: Presence,
    /// The name of its ODS constraint, as in `FlatSymbolRefAttr`.
    pub constraint: String,
    /// The enumerators, where it is an enumeration.
    pub cases: Vec<String>,
}

impl AttributeFacts {
    /// The kind of what it holds, where the constraint says so.
    pub fn kind(&self) -> Option<Kind> {
        let constraint = self.constraint.as_str();
        if !self.cases.is_empty() {
            return Some(Kind::Str);
        }
        let is_integer = constraint.strip_prefix('I').and_then(|rest| rest.strip_suffix("Attr"));
        match constraint {
            "UnitAttr" | "BoolAttr" | "I1Attr" => Some(Kind::Bool),
            "StrAttr" | "SymbolNameAttr" => Some(Kind::Str),
            "FlatSymbolRefAttr" | "SymbolRefAttr" => Some(Kind::Symbol),
            "TypeAttr" | "TypeAttrOf" => Some(Kind::Type),
            "DictionaryAttr" => Some(Kind::Dictionary),
            "Reloc_ReferentAttr" => Some(Kind::Referent),
            "APIntAttr" => Some(Kind::Int),
            _ if constraint.ends_with("ArrayAttr") => Some(Kind::List),
            _ if is_integer.is_some_and(|width| width.bytes().all(|byte| byte.is_ascii_digit())) => {
                Some(Kind::Int)
            }
            _ => None,
        }
    }

    /// Whether it can hold something of a kind. A symbol is named by text, too.
    pub fn holds(&self, kind: Kind) -> bool {
        let text = self.kind() == Some(Kind::Symbol) && kind == Kind::Str;
        text || kind.fits(self.kind().unwrap_or(Kind::Attribute))
    }
}

/// An operation, as its ODS record describes it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct OperationFacts {
    /// Operands: name and presence.
    pub operands: Vec<(String, Presence)>,
    /// Attributes.
    pub attributes: Vec<AttributeFacts>,
    /// Results: name and presence.
    pub results: Vec<(String, Presence)>,
    /// Whether it has regions.
    pub regions: bool,
    /// Whether it has successors.
    pub successors: bool,
    /// Whether it defines a symbol.
    pub symbol: bool,
}

impl OperationFacts {
    /// The attribute that `@x` stands for: the name it defines, or else its only flat symbol reference.
    pub fn symbol_attribute(&self) -> Option<&str> {
        if self.symbol {
            return Some("sym_name");
        }
        let references =
            || self.attributes.iter().filter(|attribute| attribute.constraint.contains("SymbolRefAttr"));
        let required = || references().filter(|attribute| attribute.presence == Presence::Required);
        match (required().count(), references().count()) {
            (1, _) => required().next(),
            (0, 1) => references().next(),
            _ => None,
        }
        .map(|attribute| attribute.name.as_str())
    }

    /// An attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeFacts> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// Where the facts come from.
pub trait Schema {
    /// The facts of an operation, by full name.
    fn operation(&self, name: &str) -> Option<OperationFacts>;
    /// All operations, for "did you mean".
    fn names(&self) -> Vec<String>;
    /// The operations in which a site of a kind is there, once planning is over.
    fn site_operations(&self, site: SiteKind) -> &'static [&'static str];
    /// The attributes that planning gives the operations of a site whose loader action this is.
    fn planned_fields(&self, action: Action) -> &'static [&'static str];
}
