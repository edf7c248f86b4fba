//! An operation's facts, from its record.

use serde_json::Value;

use super::encoding::Encoding;
use super::records::{Record, Records};

/// Whether something has to be there; the engine's `Presence`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Required,
    Optional,
    Variadic,
}

/// An operand or a result: name and presence.
pub(super) type Argument = (String, Presence);

pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) presence: Presence,
    pub(super) constraint: String,
    pub(super) encoding: Option<Encoding>,
    pub(super) property: bool,
}

pub(super) struct Operation {
    pub(super) name: String,
    pub(super) operands: Vec<Argument>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) results: Vec<Argument>,
    pub(super) regions: bool,
    pub(super) successors: bool,
    pub(super) symbol: bool,
    pub(super) segments: bool,
}

impl Operation {
    pub(super) fn new(records: &Records, op: Record<'_>) -> Self {
        let dialect = records.field(op, "opDialect").map_or("", |dialect| dialect.text("name"));
        let (mut operands, mut attributes) = (Vec::new(), Vec::new());
        for (reference, name) in op.dag("arguments") {
            let Some(argument) = constraint(records, reference) else { continue };
            if argument.base.is("TypeConstraint") {
                operands.push((name.to_owned(), argument.presence));
            } else if argument.base.is("Attr") || argument.base.is("Property") {
                attributes.push(Attribute {
                    name: name.to_owned(),
                    presence: argument.presence,
                    constraint: constraint_name(argument.base).to_owned(),
                    encoding: Encoding::new(records, argument.base),
                    property: argument.base.is("Property"),
                });
            }
        }
        let results = op.dag("results").into_iter().filter_map(|(reference, name)| {
            constraint(records, reference).map(|result| (name.to_owned(), result.presence))
        });
        let traits = records.list(op, "traits");
        let has = |name| traits.iter().any(|one| implies(records, *one, name));
        Self {
            name: format!("{dialect}.{}", op.text("opName")),
            operands,
            attributes,
            results: results.collect(),
            regions: !op.dag("regions").is_empty(),
            successors: !op.dag("successors").is_empty(),
            symbol: has("SymbolOpInterface::Trait"),
            segments: has("AttrSizedOperandSegments"),
        }
    }
}

/// What an argument has to be, without what is wrapped around it.
struct Constraint<'a> {
    base: Record<'a>,
    presence: Presence,
}

/// Takes off the wrappers: `Arg` and `Res` (effects), `OptionalAttr`, `DefaultValuedAttr`, `ConfinedAttr` and their
/// like. The outermost one that speaks of presence decides: MLIR asks no further.
fn constraint<'a>(records: &'a Records, reference: &Value) -> Option<Constraint<'a>> {
    let mut base = records.follow(reference)?;
    let mut presence = None;
    loop {
        presence = presence.or_else(|| said_presence(base));
        let wrapped = ["constraint", "baseAttr", "baseProperty"];
        let Some(inner) = wrapped.iter().find_map(|field| records.field(base, field)) else { break };
        base = inner;
    }
    Some(Constraint { base, presence: presence.unwrap_or(Presence::Required) })
}

fn said_presence(record: Record<'_>) -> Option<Presence> {
    if record.is("Variadic") || record.is("VariadicOfVariadic") {
        Some(Presence::Variadic)
    } else if record.is("Optional") || record.is("OptionalAttr") || record.name() == "UnitAttr" {
        Some(Presence::Optional)
    } else if !record.text("defaultValue").is_empty() {
        Some(Presence::Variadic)
    } else {
        None
    }
}

/// The name in the ODS file, or that of the class where the record was made on the spot.
fn constraint_name(base: Record<'_>) -> &str {
    if base.anonymous() { base.superclasses().next_back().unwrap_or_default() } else { base.name() }
}

/// Whether a trait is one of that name, or has it: a list of traits, an interface that extends others.
fn implies(records: &Records, one: Record<'_>, name: &str) -> bool {
    one.text("trait") == name
        || ["traits", "baseInterfaces"]
            .iter()
            .any(|field| records.list(one, field).into_iter().any(|inner| implies(records, inner, name)))
}
