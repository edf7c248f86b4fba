//! Sessions that generated programs run in.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Site, arg, run};

pub const DATA: usize = 4;
pub const TABLE: usize = 8;
pub const OBJECTS: usize = 3;

/// The words of a session: data, words inside, addresses, objects.
pub struct Session {
    pub words: [u64; DATA],
    pub inside: [u64; TABLE],
    pub addresses: [u64; DATA],
    pub objects: [u64; OBJECTS],
}

impl Session {
    /// The session that compiles is number 0.
    pub fn new(number: u64) -> Self {
        let mix = |seed: u64| seed.wrapping_add(1 + 1000 * number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            words: std::array::from_fn(|index| mix(index as u64)),
            inside: std::array::from_fn(|index| mix(100 + index as u64)),
            // As far as a linker's absolute symbols go.
            addresses: std::array::from_fn(|index| 0x1234_5000 + 0x10_0000 * number + 16 * index as u64),
            objects: std::array::from_fn(|index| 0x7f12_3450_0000 + 0x1000_0000 * number + 64 * index as u64),
        }
    }

    /// A library that has the data, for words that are resolved when compiling.
    pub fn library(&self, folder: &Path) -> PathBuf {
        let mut text = String::new();
        for (index, word) in self.words.iter().enumerate() {
            let _ = writeln!(text, "unsigned long rt_w{index} = {word:#x};");
        }
        let inside = self.inside.map(|word| format!("{word:#x}")).join(", ");
        let _ = writeln!(text, "unsigned long rt_table[] = {{ {inside} }};");
        let (source, library) = (folder.join("session.c"), folder.join("libsession.so"));
        std::fs::write(&source, text).expect("written");
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", arg(&source), "-o", arg(&library)]);
        for (index, address) in self.addresses.iter().enumerate() {
            command.arg(format!("-Wl,--defsym=rt_a{index}={address:#x}"));
        }
        run(&mut command);
        library
    }

    /// What the front end hands over: each object by its address, and by two globals that hold it.
    pub fn table(&self, folder: &Path) -> PathBuf {
        let entries: Vec<serde_json::Value> = (0..OBJECTS)
            .flat_map(|index| {
                let target = serde_json::json!({
                    "object": { "runtime": "generated", "key": format!("object {index}") }
                });
                [
                    ("address", format!("{:#x}", self.objects[index])),
                    ("global", format!("held{index}")),
                    ("global", format!("again{index}")),
                ]
                .map(|(key, value)| serde_json::json!({ key: value, "target": target }))
            })
            .collect();
        let path = folder.join("session.json");
        std::fs::write(&path, serde_json::json!({ "entries": entries }).to_string()).expect("written");
        path
    }

    /// The word of a referent.
    pub fn referent(&self, referent: &serde_json::Value) -> u64 {
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let name = text(&referent["word"]["symbol"])
            .or(text(&referent["symbol"]["name"]))
            .or(text(&referent["object"]["key"]))
            .expect("a name");
        let number = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<usize>();
        match (name.split(|c: char| c.is_ascii_digit()).next(), number) {
            (Some("rt_w"), Ok(index)) => self.words[index],
            (Some("rt_a"), Ok(index)) => self.addresses[index],
            (Some("object "), Ok(index)) => self.objects[index],
            _ => self.inside[referent["word"]["offset"].as_u64().unwrap_or(0) as usize / 8],
        }
    }

    /// The word of a site.
    pub fn word(&self, site: &Site) -> u64 {
        self.referent(&serde_json::from_str(&site.referent).expect("JSON"))
    }
}
