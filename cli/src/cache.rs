//! `relo compile --cache` and `relo cache`: what is kept, and under which key.

use std::cell::Cell;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use relo_cache::{Cache, Entry, Key, KeyBuilder, Lookup, Report, StoreError, Symbolic, open};
use relo_codegen::{Compilation, Options, compile};
use relo_engine::Request;

use crate::error::{CliError, Failure};
use crate::report::Reporter;

/// A folder is kept to about so many bytes. Who shares a store says how large it may be, or leaves that to the store.
const LIMIT: u64 = 5 << 30;

/// Names the cache for who names none. What is secret in a URL need not be an argument, then.
const VARIABLE: &str = "RELO_CACHE";

/// Look after the artifacts that `relo compile --cache` keeps
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
    /// The folder, or the store's URL [default: $RELO_CACHE, or the user's folder]
    #[arg(long, value_name = "URL", global = true)]
    cache: Option<String>,
}

#[derive(Subcommand)]
enum Action {
    /// Say how much is kept
    Stats,
    /// Read everything, and remove what is damaged
    Verify,
    /// Evict what was used longest ago, and what killed writers left behind
    Gc {
        /// How much to leave: bytes, or a number with K, M, G or T; 0 for nothing
        #[arg(long, value_name = "SIZE", default_value = "5G", value_parser = size)]
        limit: u64,
    },
}

pub fn run(arguments: &Arguments, reporter: &Reporter) -> Result<(), Failure> {
    let cache = at(arguments.cache.as_deref().unwrap_or_default(), None)?;
    let report = match arguments.action {
        Action::Stats => Report { left: cache.stats()?, ..Report::default() },
        Action::Verify => cache.verify()?,
        Action::Gc { limit } => cache.gc(limit)?,
    };
    for damage in &report.damaged {
        reporter.error(damage);
    }
    if reporter.is_json() {
        reporter.line(serde_json::json!({
            "entries": report.left.entries, "bytes": report.left.bytes, "evicted": report.evicted,
            "abandoned": report.abandoned, "damaged": report.damaged.len(),
        }));
        return Ok(());
    }
    reporter.line(format_args!("{} entries, {} bytes", report.left.entries, report.left.bytes));
    if report.evicted > 0 {
        reporter.line(format_args!("{} evicted", report.evicted));
    }
    if report.abandoned > 0 {
        reporter.line(format_args!("{} left behind by killed writers", report.abandoned));
    }
    Ok(())
}

/// A size in bytes, as people write it.
pub fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().next_back() {
        Some((end, unit)) if unit.is_ascii_alphabetic() => {
            let power = "KMGT".find(unit.to_ascii_uppercase()).ok_or("units are K, M, G and T")?;
            (&text[..end], 10 * (power + 1))
        }
        _ => (text, 0),
    };
    let number: u64 = digits.parse().map_err(|_| "it is no number of bytes".to_owned())?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is too much".to_owned())
}

/// A cache by its URL; by an empty one the user's own.
fn at(url: &str, limit: Option<u64>) -> Result<Cache, Failure> {
    let named = || std::env::var(VARIABLE).ok().filter(|url| !url.is_empty());
    let url = match url {
        "" => named().map_or_else(user_folder, Ok)?,
        url => url.to_owned(),
    };
    let limit = limit.or_else(|| (!url.contains("://")).then_some(LIMIT));
    Ok(Cache::new(open(&url)?, limit))
}

/// Where the desktop's standard has it.
fn user_folder() -> Result<String, CliError> {
    let given = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = given.or_else(|| Some(std::env::home_dir()?.join(".cache")));
    folder.map(|folder| folder.join("relo").display().to_string()).ok_or_else(|| CliError::Argument {
        message: "there is no home folder to keep a cache in".into(),
        help: "write --cache=FOLDER".into(),
    })
}

/// The place of one compilation's artifact in a cache.
pub struct Place<'a> {
    cache: Cache,
    key: Key,
    symbolic: Symbolic<'a>,
    reporter: &'a Reporter,
    /// Whether the store has failed: it is told of once, and not waited for again.
    failed: Cell<bool>,
}

impl<'a> Place<'a> {
    /// The place for what these options make.
    ///
    /// # Errors
    /// When there is no such cache.
    pub fn new(
        url: &str,
        limit: Option<u64>,
        options: &Options<'a>,
        request: &Request,
        reporter: &'a Reporter,
    ) -> Result<Self, Failure> {
        let mut key = KeyBuilder::new(concat!(env!("CARGO_PKG_VERSION"), " ", env!("RELO_BUILD")));
        key.part("llvm", relo_codegen::llvm_version());
        // What it is called says which kind of text it is.
        let extension = options.name.rsplit_once('.').map_or("", |(_, extension)| extension);
        key.part("extension", extension);
        let text = |part: &Option<String>| part.clone().unwrap_or_default();
        let parts = [
            ("target", request.target.clone()),
            ("cpu", text(&request.cpu)),
            ("session", request.with_session.to_string()),
            ("strategy", text(&request.strategy)),
            ("emit", options.emit.to_string()),
            ("level", options.level.to_string()),
            ("settings", format!("{:?}", request.settings)),
            ("entries", format!("{:?}", options.entries)),
            ("confine", options.confine.to_string()),
            ("packs", format!("{:?}", options.rules.packs)),
        ];
        for (name, value) in parts {
            key.part(name, value);
        }
        for rule in options.rules.rules() {
            key.part(&rule.path, &rule.digest);
        }
        let symbolic = Symbolic::new(options.input, options.session);
        key.input(&symbolic, options.session);
        Ok(Self { cache: at(url, limit)?, key: key.finish(), symbolic, reporter, failed: Cell::new(false) })
    }

    /// What is kept there. A store that fails is told, and has nothing.
    pub fn find(&self) -> Option<Entry> {
        match self.told(self.cache.get(&self.key))? {
            Lookup::Found(entry) => Some(entry),
            Lookup::Absent => None,
            Lookup::Damaged(damage) => {
                self.reporter.error(&damage);
                None
            }
        }
    }

    /// Keeps an artifact that is valid in any session: an input with addresses is compiled once more, as another session
    /// has it, and has to give the same.
    pub fn keep(&self, compilation: &Compilation, options: &Options<'_>) {
        if !compilation.manifest.portable || self.failed.get() {
            return;
        }
        if self.symbolic.is_bound() {
            let (input, session) = self.symbolic.moved();
            let moved = Options { input: &input, session: &session, ..*options };
            let again = compile(&moved, &mut |_| {});
            if !again.is_ok_and(|again| {
                again.artifact == compilation.artifact && again.manifest == compilation.manifest
            }) {
                self.reporter.error(&CliError::Bound);
                return;
            }
        }
        let entry = Entry {
            artifact: compilation.artifact.clone(),
            manifest: compilation.manifest.to_json(),
            unseen: compilation.unseen.clone(),
        };
        self.told(self.cache.put(&self.key, &entry));
    }

    fn told<T>(&self, result: Result<T, StoreError>) -> Option<T> {
        result
            .inspect_err(|error| {
                self.reporter.error(error);
                self.failed.set(true);
            })
            .ok()
    }
}
