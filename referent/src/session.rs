//! What a front end hands over beside its IR: which addresses and globals of the session mean what.

use std::collections::BTreeMap;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Referent;

/// A session table: addresses of the compiling session, and names of globals, with what they refer to.
#[derive(Clone, Debug, Default)]
pub struct SessionTable {
    addresses: BTreeMap<u64, Referent>,
    globals: BTreeMap<String, Referent>,
    fixed: bool,
}

/// A session table that can't be used: everything that is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("the session table `{name}` has mistakes", name = .source_code.name())]
pub struct SessionError {
    source_code: NamedSource<String>,
    mistakes: Vec<Mistake>,
}

/// One mistake, at a place or two.
#[derive(Debug)]
struct Mistake {
    message: String,
    labels: Vec<(usize, usize, String)>,
    help: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile<'a> {
    #[serde(borrow, default)]
    entries: Vec<&'a RawValue>,
    #[serde(default = "yes")]
    relocatable: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    address: Option<String>,
    global: Option<String>,
    target: Referent,
}

fn yes() -> bool {
    true
}

impl SessionTable {
    /// Reads a table's JSON; `name` is what diagnostics call it.
    ///
    /// # Errors
    /// All mistakes at once: JSON that is not well formed, entries of the wrong shape, addresses that are no
    /// hexadecimal numbers or null, and addresses or globals that have two meanings.
    pub fn parse(text: &str, name: &str) -> Result<Self, Box<SessionError>> {
        let mut mistakes = Vec::new();
        let mut table = Self::default();
        match serde_json::from_str::<TableFile>(text) {
            Ok(file) => {
                table.fixed = !file.relocatable;
                let mut places = BTreeMap::new();
                for raw in file.entries {
                    // The raw value borrows from the text, so that its place is the distance of the pointers.
                    let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
                    let place = (start, raw.get().len());
                    if let Err(mistake) = table.add(raw.get(), place, &mut places) {
                        mistakes.push(mistake);
                    }
                }
            }
            Err(error) => mistakes.push(Mistake {
                message: without_place(&error),
                labels: vec![(offset(text, error.line(), error.column()), 1, "here".into())],
                help: "a session table is {\"entries\": [{\"address\" or \"global\", \"target\"}, …]}".into(),
            }),
        }
        if mistakes.is_empty() {
            return Ok(table);
        }
        let source_code = NamedSource::new(name, text.to_owned()).with_language("json");
        Err(Box::new(SessionError { source_code, mistakes }))
    }

    fn add(
        &mut self,
        raw: &str,
        (start, length): (usize, usize),
        places: &mut BTreeMap<String, (usize, usize)>,
    ) -> Result<(), Mistake> {
        let mistake = |message: String, help: &str| Mistake {
            message,
            labels: vec![(start, length, "this entry".into())],
            help: help.to_owned(),
        };
        let entry: Entry = serde_json::from_str(raw).map_err(|error| Mistake {
            message: without_place(&error),
            labels: vec![(start + offset(raw, error.line(), error.column()), 1, "here".into())],
            help: "a target is {\"object\": {\"runtime\", \"key\"}}, {\"symbol\": {\"name\"}} or {\"word\": \
                   {\"symbol\"}}"
                .into(),
        })?;
        if let Some(reason) = entry.target.malformed() {
            return Err(mistake(format!("the target {reason}"), "give it a name that outlives the session"));
        }
        let key = match (entry.address, entry.global) {
            (Some(text), None) => {
                let digits = text.strip_prefix("0x").unwrap_or("");
                match u64::from_str_radix(digits, 16) {
                    Ok(0) => {
                        return Err(mistake("no object lies at address 0".into(), "leave the entry out"));
                    }
                    Ok(address) if !digits.starts_with('+') => {
                        self.addresses.entry(address).or_insert(entry.target);
                        format!("address {address:#x}")
                    }
                    _ => {
                        let message = format!("`{text}` is not an address");
                        return Err(mistake(message, "write it in hexadecimal: \"0x7f0012345678\""));
                    }
                }
            }
            (None, Some(global)) if !global.is_empty() => {
                let key = format!("global `{global}`");
                self.globals.entry(global).or_insert(entry.target);
                key
            }
            (None, Some(_)) => return Err(mistake("a global has a name".into(), "name it, without the @")),
            (Some(_), Some(_)) => {
                return Err(mistake("this has an address and a global".into(), "write two entries"));
            }
            (None, None) => {
                let message = "this has neither an address nor a global".into();
                return Err(mistake(message, "add \"address\": \"0x…\" or \"global\": \"…\""));
            }
        };
        if let Some(first) = places.insert(key.clone(), (start, length)) {
            return Err(Mistake {
                message: format!("{key} has two meanings"),
                labels: vec![
                    (start, length, "second entry".into()),
                    (first.0, first.1, "first entry".into()),
                ],
                help: "an address or global means one thing in a session: drop one of the entries".into(),
            });
        }
        Ok(())
    }

    /// Whether code compiled in this session may be loaded into another.
    pub fn relocatable(&self) -> bool {
        !self.fixed
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.globals.is_empty()
    }

    /// What lies at an address.
    pub fn by_address(&self, address: u64) -> Option<&Referent> {
        self.addresses.get(&address)
    }

    /// What a global of the module stands for.
    pub fn by_global(&self, name: &str) -> Option<&Referent> {
        self.globals.get(name)
    }

    /// All addresses, in order.
    pub fn addresses(&self) -> impl Iterator<Item = (u64, &Referent)> {
        self.addresses.iter().map(|(address, referent)| (*address, referent))
    }

    /// All globals, in order.
    pub fn globals(&self) -> impl Iterator<Item = (&str, &Referent)> {
        self.globals.iter().map(|(name, referent)| (name.as_str(), referent))
    }
}

/// The byte offset of a line and column, both from 1 as serde_json counts them.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len())
}

/// serde_json's message without "at line 3 column 4": the label says that.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or(&message).to_owned()
}

impl Diagnostic for SessionError {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new("relo::session::table"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.mistakes.first().map(|mistake| Box::new(&mistake.help) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source_code)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.mistakes.iter().flat_map(|mistake| {
            mistake.labels.iter().enumerate().map(|(index, (start, length, text))| {
                let text = if index == 0 { mistake.message.clone() } else { text.clone() };
                LabeledSpan::new(Some(text), *start, *length)
            })
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_addresses_and_globals() {
        let text = r#"{"entries": [
            {"address": "0x10", "target": {"object": {"runtime": "r", "key": "k", "addend": 8}}},
            {"global": "g", "target": {"word": {"symbol": "s", "offset": 8}}}
        ], "relocatable": false}"#;
        let table = SessionTable::parse(text, "t").expect("well formed");
        assert_eq!(
            table.by_address(16).map(ToString::to_string).as_deref(),
            Some("object<\"r\", \"k\" + 8>")
        );
        assert_eq!(table.by_global("g").map(ToString::to_string).as_deref(), Some("word<\"s\" + 8>"));
        assert!(!table.relocatable());
    }

    #[test]
    fn names_every_mistake_at_its_place() {
        let text = r#"{"entries": [
            {"address": "16", "target": {"symbol": {"name": "a"}}},
            {"address": "0x10", "target": {"symbol": {"name": "a"}}},
            {"address": "0x10", "target": {"symbol": {"name": "b"}}},
            {"target": {"symbol": {"name": "b"}}},
            {"global": "g", "target": {"symbol": {"name": ""}}}
        ]}"#;
        let error = SessionTable::parse(text, "t").expect_err("it has mistakes");
        let messages: Vec<String> = error
            .labels()
            .into_iter()
            .flatten()
            .map(|label| {
                let place = &text[label.offset()..label.offset() + label.len()];
                format!("{}: {place}", label.label().unwrap_or_default())
            })
            .collect();
        assert_eq!(messages.len(), 5, "{messages:#?}");
        assert!(messages[1].starts_with(
            "address 0x10 has two meanings: {\"address\": \"0x10\", \"target\": {\"symbol\": {\"name\": \"b\""
        ));
    }
}
