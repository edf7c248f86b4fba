//! TableGen's records, as llvm-tblgen's JSON has them.

use serde_json::{Map, Value};

/// All records, by name.
pub(super) struct Records(Value);

/// A record: its fields, and what TableGen says about it (`!name`, `!superclasses`).
#[derive(Clone, Copy)]
pub(super) struct Record<'a>(&'a Map<String, Value>);

impl Records {
    pub(super) fn parse(json: &[u8]) -> Self {
        Self(serde_json::from_slice(json).expect("llvm-tblgen writes JSON"))
    }

    /// The records that derive from a class, in the order of their definition.
    pub(super) fn instances(&self, class: &str) -> impl Iterator<Item = Record<'_>> {
        let names = self.0["!instanceof"][class].as_array().map(Vec::as_slice).unwrap_or_default();
        names.iter().filter_map(|name| self.named(name.as_str()?))
    }

    pub(super) fn named(&self, name: &str) -> Option<Record<'_>> {
        self.0[name].as_object().map(Record)
    }

    /// The record that a value refers to.
    pub(super) fn follow(&self, reference: &Value) -> Option<Record<'_>> {
        self.named(reference["def"].as_str()?)
    }

    /// The record in a field, where there is one.
    pub(super) fn field(&self, record: Record<'_>, name: &str) -> Option<Record<'_>> {
        self.follow(record.0.get(name)?)
    }

    /// The records in a field that is a list.
    pub(super) fn list(&self, record: Record<'_>, name: &str) -> Vec<Record<'_>> {
        let members = record.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        members.iter().filter_map(|member| self.follow(member)).collect()
    }
}

impl<'a> Record<'a> {
    pub(super) fn name(self) -> &'a str {
        self.text("!name")
    }

    /// A text; empty where the field is not one, or not there.
    pub(super) fn text(self, field: &str) -> &'a str {
        self.0.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn number(self, field: &str) -> Option<i64> {
        self.0.get(field).and_then(Value::as_i64)
    }

    /// Whether a bit is set.
    pub(super) fn set(self, field: &str) -> bool {
        self.number(field) == Some(1)
    }

    /// What stands in a dag: value and name of each argument.
    pub(super) fn dag(self, field: &str) -> Vec<(&'a Value, &'a str)> {
        let arguments = self.0.get(field).and_then(|dag| dag["args"].as_array());
        let arguments = arguments.map(Vec::as_slice).unwrap_or_default();
        arguments.iter().map(|argument| (&argument[0], argument[1].as_str().unwrap_or_default())).collect()
    }

    pub(super) fn is(self, class: &str) -> bool {
        self.superclasses().any(|one| one == class)
    }

    /// What the record derives from, the most general class first.
    pub(super) fn superclasses(self) -> impl DoubleEndedIterator<Item = &'a str> {
        let classes = self.0.get("!superclasses").and_then(Value::as_array);
        classes.map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_str)
    }

    pub(super) fn anonymous(self) -> bool {
        self.0.get("!anonymous").and_then(Value::as_bool).unwrap_or_default()
    }
}
