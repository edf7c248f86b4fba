//! A toy IR: enough for rules to be checked against and decided over.

use indexmap::IndexMap;
use relo_engine::{
    Attr, AttributeFacts, Datum, Host, Kind, Library, Location, Native, Natives, Op, OperationFacts,
    PackSource, Presence, Request, RuleSet, RuleSetError, Schema, Signature, SiteKind, Type, Value,
};
use relo_grammar::span::Source;
use relo_referent::Action;

/// The toy's operations.
pub struct ToySchema;

impl Schema for ToySchema {
    fn operation(&self, name: &str) -> Option<OperationFacts> {
        let value = |name: &str| (name.to_owned(), Presence::Required);
        let attribute = |name: &str, presence, constraint: &str, cases: &[&str]| AttributeFacts {
            name: name.to_owned(),
            presence,
            constraint: constraint.to_owned(),
            cases: cases.iter().map(|case| (*case).to_owned()).collect(),
        };
        let facts = OperationFacts::default();
        Some(match name {
            "toy.load" => OperationFacts {
                operands: vec![value("pointer")],
                attributes: vec![
                    attribute("alignment", Presence::Optional, "I64Attr", &[]),
                    attribute("volatile", Presence::Optional, "UnitAttr", &[]),
                    attribute("ordering", Presence::Variadic, "Ordering", &["relaxed", "acquire"]),
                ],
                results: vec![value("word")],
                ..facts
            },
            "toy.address" => OperationFacts {
                attributes: vec![attribute("target", Presence::Optional, "FlatSymbolRefAttr", &[])],
                results: vec![value("pointer")],
                ..facts
            },
            "toy.compare" => OperationFacts {
                operands: vec![value("left"), value("right")],
                attributes: vec![attribute("predicate", Presence::Required, "Predicate", &["eq", "ne"])],
                results: vec![value("result")],
                ..facts
            },
            "toy.global" => OperationFacts {
                attributes: vec![
                    attribute("sym_name", Presence::Required, "StrAttr", &[]),
                    attribute("words", Presence::Optional, "ArrayAttr", &[]),
                ],
                regions: true,
                symbol: true,
                ..facts
            },
            "toy.branch" => OperationFacts { successors: true, ..facts },
            "toy.store" => OperationFacts {
                operands: vec![value("word"), value("pointer")],
                attributes: vec![attribute("volatile", Presence::Optional, "UnitAttr", &[])],
                ..facts
            },
            "toy.loop" => OperationFacts { regions: true, ..facts },
            _ => return None,
        })
    }

    fn site_operations(&self, _: SiteKind) -> &'static [&'static str] {
        &["toy.load"]
    }

    fn planned_fields(&self, _: Action) -> &'static [&'static str] {
        &[]
    }

    fn names(&self) -> Vec<String> {
        ["toy.address", "toy.branch", "toy.compare", "toy.global", "toy.load", "toy.loop", "toy.store"]
            .map(str::to_owned)
            .to_vec()
    }
}

/// An operation of the toy: its results are values of their own.
#[derive(Clone, Debug, Default)]
pub struct ToyOp {
    pub name: &'static str,
    pub operands: Vec<Value>,
    pub results: Vec<Value>,
    pub attributes: Vec<(&'static str, Datum)>,
}

/// A list of operations; attributes are handed out by number.
#[derive(Default)]
pub struct ToyHost {
    pub ops: Vec<ToyOp>,
    attributes: Vec<Datum>,
    types: Vec<String>,
}

impl ToyHost {
    /// Operations in order; every value is of type i64.
    pub fn new(ops: Vec<ToyOp>) -> Self {
        let attributes =
            ops.iter().flat_map(|op| op.attributes.iter().map(|(_, datum)| datum.clone())).collect();
        Self { ops, attributes, types: vec!["i64".into()] }
    }

    fn handle(&self, datum: &Datum) -> Option<Attr> {
        self.attributes.iter().position(|known| known == datum).map(Attr)
    }
}

impl Host for ToyHost {
    fn operation_name(&self, op: Op) -> String {
        self.ops[op.0].name.to_owned()
    }
    fn operands(&self, op: Op) -> Vec<Value> {
        self.ops[op.0].operands.clone()
    }
    fn results(&self, op: Op) -> Vec<Value> {
        self.ops[op.0].results.clone()
    }
    fn attribute(&self, op: Op, name: &str) -> Option<Attr> {
        let (_, datum) = self.ops[op.0].attributes.iter().find(|(known, _)| *known == name)?;
        self.handle(datum)
    }
    fn field(&self, op: Op, name: &str) -> Option<Datum> {
        Some(self.decode(self.attribute(op, name)?))
    }
    fn attributes(&self, op: Op) -> Vec<(String, Attr)> {
        let attributes = &self.ops[op.0].attributes;
        attributes
            .iter()
            .filter_map(|(name, datum)| Some(((*name).to_owned(), self.handle(datum)?)))
            .collect()
    }
    fn type_of(&self, _: Value) -> Type {
        Type(0)
    }
    fn definition(&self, value: Value) -> Option<Op> {
        self.ops.iter().position(|op| op.results.contains(&value)).map(Op)
    }
    fn decode(&self, attribute: Attr) -> Datum {
        self.attributes[attribute.0].clone()
    }
    fn parse_type(&mut self, text: &str) -> Option<Type> {
        let index = self.types.iter().position(|known| known == text).unwrap_or_else(|| {
            self.types.push(text.to_owned());
            self.types.len() - 1
        });
        Some(Type(index))
    }
    fn location(&self, _: Op) -> Location {
        Location::default()
    }
    fn text(&self, datum: &Datum) -> String {
        match datum {
            Datum::Attr(attribute) => self.text(&self.decode(*attribute)),
            Datum::Value(value) => format!("%{}", value.0),
            Datum::Int(number) => number.to_string(),
            Datum::Str(text) => text.clone(),
            datum => format!("{datum:?}"),
        }
    }
}

/// The toy's natives.
pub fn natives() -> Natives<ToyHost> {
    let mut natives = Natives::default();
    natives.add(Native::pure(
        "is_even",
        &[("value", Kind::Value)],
        &[],
        "Holds for even ones.",
        |_, arguments| matches!(arguments, [Datum::Value(value)] if value.0 % 2 == 0).then(Vec::new),
    ));
    natives.add(
        Native::pure(
            "alignment",
            &[("value", Kind::Value)],
            &[Kind::Int],
            "How a value is aligned.",
            |_, arguments| match arguments {
                [Datum::Value(value)] => Some(vec![Datum::Int(value.0 as i128 * 8)]),
                _ => None,
            },
        )
        .total(),
    );
    natives.add(Native::builder(
        "copy",
        &[("value", Kind::Value)],
        &[Kind::Value],
        "A copy.",
        |_, arguments| Some(arguments.to_vec()),
    ));
    natives
}

/// The signatures of the toy's natives.
pub fn signatures() -> IndexMap<&'static str, Signature> {
    natives().signatures()
}

/// The rule set of one file in a pack of its own.
pub fn rules(name: &str, text: &str) -> Result<RuleSet, RuleSetError> {
    let yaml = "pack: t\nmeaning:\n  toy.compare: [predicate]\n  toy.store: [volatile]\ntargets:\n  \
         toy: { triple: toy, emit: object, space: 1, strategies: [] }\n  \
         other: { triple: toy, emit: object, pointer: \"!toy.ptr\", strategies: [] }\n";
    let pack = PackSource { yaml: Source::new("t/pack.yaml", yaml), files: vec![Source::new(name, text)] };
    let (library, findings) = Library::new(&[pack]);
    if !findings.is_empty() {
        return Err(RuleSetError::Findings { target: "toy".into(), findings, cells: Vec::new() });
    }
    let request = Request { target: "toy".into(), ..Request::default() };
    RuleSet::new(&library, &request, &signatures(), &ToySchema).map(|(rules, _)| rules)
}
