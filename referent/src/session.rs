//! What a front end hands over beside its IR: which addresses and globals of the session mean what.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Referent;
use crate::mistake::{Mistake, Problem, SessionError};

/// A session table: addresses of the compiling session, and names of globals, with what they refer to.
///
/// ```
/// let text = r#"{"entries": [{"address": "0x7f0000001000", "target": {"symbol": {"name": "cos"}}}]}"#;
/// let table = relo_referent::SessionTable::parse(text, "kernel.session.json")?;
/// assert_eq!(table.by_address(0x7f00_0000_1000).unwrap().to_string(), r#"symbol<"cos">"#);
/// # Ok::<(), Box<relo_referent::SessionError>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionTable {
    addresses: BTreeMap<u64, Referent>,
    globals: BTreeMap<String, Referent>,
    offsets: Vec<i64>,
    fixed: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a session table")]
struct TableFile<'a> {
    #[serde(borrow)]
    entries: Vec<&'a RawValue>,
    #[serde(default)]
    offsets: Vec<i64>,
    #[serde(default = "yes")]
    relocatable: bool,
}

/// An entry, its values still text: each mistake is then told at the value that has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an entry")]
struct Entry<'a> {
    #[serde(borrow)]
    address: Option<&'a RawValue>,
    #[serde(borrow)]
    global: Option<&'a RawValue>,
    #[serde(borrow)]
    target: &'a RawValue,
}

/// The entry of each address and global so far.
#[derive(Default)]
struct Seen {
    addresses: BTreeMap<u64, Range<usize>>,
    globals: BTreeMap<String, Range<usize>>,
}

fn yes() -> bool {
    true
}

impl SessionTable {
    /// Reads a table's JSON; `name` is what diagnostics call it.
    ///
    /// # Errors
    /// All mistakes at once: JSON that is not well formed, entries of the wrong shape, addresses that are no
    /// hexadecimal numbers or null, and addresses or globals that stand in two entries.
    pub fn parse(text: &str, name: &str) -> Result<Self, Box<SessionError>> {
        let mut mistakes = Vec::new();
        let mut table = Self::default();
        match serde_json::from_str::<TableFile>(text) {
            Ok(file) => {
                table.fixed = !file.relocatable;
                table.offsets = file.offsets;
                let mut seen = Seen::default();
                for raw in file.entries {
                    if let Err(mistake) = table.add(raw, text, &mut seen) {
                        mistakes.push(*mistake);
                    }
                }
            }
            Err(error) => mistakes.push(*Mistake::of_json(Problem::Table, &error, text, 0)),
        }
        if mistakes.is_empty() { Ok(table) } else { Err(Box::new(SessionError::new(name, text, mistakes))) }
    }

    fn add(&mut self, raw: &RawValue, text: &str, seen: &mut Seen) -> Result<(), Box<Mistake>> {
        let place = place(raw, text);
        let entry: Entry = serde_json::from_str(raw.get())
            .map_err(|error| Mistake::of_json(Problem::Entry, &error, raw.get(), place.start))?;
        let target = target(entry.target, text)?;
        match (entry.address, entry.global) {
            (Some(raw), None) => {
                let address = address(raw, text)?;
                if let Some(first) = seen.addresses.insert(address, place.clone()) {
                    return Err(Mistake::twice(&format!("the address {address:#x}"), first, place));
                }
                self.addresses.insert(address, target);
            }
            (None, Some(raw)) => {
                let global = global(raw, text)?;
                if let Some(first) = seen.globals.insert(global.clone(), place.clone()) {
                    return Err(Mistake::twice(&format!("the global `{global}`"), first, place));
                }
                self.globals.insert(global, target);
            }
            (Some(_), Some(_)) => return Err(Mistake::new(Problem::Both, place)),
            (None, None) => return Err(Mistake::new(Problem::Neither, place)),
        }
        Ok(())
    }

    /// Whether code compiled in this session may be loaded into another.
    pub fn relocatable(&self) -> bool {
        !self.fixed
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.addresses.is_empty() && self.globals.is_empty() && self.offsets.is_empty()
    }

    /// Numbers that belong to the session and are no addresses, as the offset of a thread's state in thread-local storage
    /// is. They can't be relocated: code that holds one is valid in this session only.
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
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

    /// The table of a session in which every address is another. No two become one.
    #[must_use]
    pub fn moved(&self, place: impl Fn(u64) -> u64) -> Self {
        let addresses =
            self.addresses.iter().map(|(address, referent)| (place(*address), referent.clone())).collect();
        Self { addresses, ..self.clone() }
    }

    /// All globals, in order.
    pub fn globals(&self) -> impl Iterator<Item = (&str, &Referent)> {
        self.globals.iter().map(|(name, referent)| (name.as_str(), referent))
    }
}

/// Where a raw value lies in the text that it borrows from: the distance of the pointers.
fn place(raw: &RawValue, text: &str) -> Range<usize> {
    let start = raw.get().as_ptr() as usize - text.as_ptr() as usize;
    start..start + raw.get().len()
}

fn target(raw: &RawValue, text: &str) -> Result<Referent, Box<Mistake>> {
    let place = place(raw, text);
    let target: Referent = serde_json::from_str(raw.get())
        .map_err(|error| Mistake::of_json(Problem::Target, &error, raw.get(), place.start))?;
    match target.malformed() {
        Some(reason) => Err(Mistake::new(Problem::Malformed(reason), place)),
        None => match target.path() {
            Some(path) => {
                Err(Mistake::new(Problem::Path(path.to_owned()), library(raw, text).unwrap_or(place)))
            }
            None => Ok(target),
        },
    }
}

/// Where a target says which library.
fn library(target: &RawValue, text: &str) -> Option<Range<usize>> {
    let kinds: BTreeMap<String, BTreeMap<String, &RawValue>> = serde_json::from_str(target.get()).ok()?;
    kinds.values().find_map(|parts| parts.get("library")).map(|raw| place(raw, text))
}

fn address(raw: &RawValue, text: &str) -> Result<u64, Box<Mistake>> {
    let place = place(raw, text);
    let digits = serde_json::from_str::<String>(raw.get()).ok();
    let digits = digits.as_deref().and_then(|text| text.strip_prefix("0x"));
    // The standard library's parser takes a sign, an address has none.
    let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match digits.map(|digits| u64::from_str_radix(digits, 16)) {
        Some(Ok(0)) => Err(Mistake::new(Problem::Null, place)),
        Some(Ok(address)) => Ok(address),
        _ => Err(Mistake::new(Problem::Address(raw.get().to_owned()), place)),
    }
}

fn global(raw: &RawValue, text: &str) -> Result<String, Box<Mistake>> {
    match serde_json::from_str::<String>(raw.get()) {
        Ok(name) if !name.is_empty() && !name.contains('\0') => Ok(name),
        _ => Err(Mistake::new(Problem::Global(raw.get().to_owned()), place(raw, text))),
    }
}
