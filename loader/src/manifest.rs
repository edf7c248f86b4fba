//! What a loader needs beside the artifact: every site, its referent, its action.
//!
//! The schema is `docs/manifest.schema.json`. A manifest is untrusted input: [`Manifest::parse`] checks all that can
//! be checked without the artifact, and [`load`](crate::load) checks it again, with the artifact.

use std::ops::Range;

use miette::{NamedSource, SourceSpan};
use relo_referent::{Action, Referent};
use serde::{Deserialize, Serialize};

use crate::consistency::problems;

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// Larger artifacts than this are refused: 16 GiB.
pub(crate) const LARGEST: u64 = 1 << 34;

/// A longer line is not shown as a whole.
const LONGEST_LINE: usize = 400;

/// A manifest, version 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of the format.
    pub relo: u32,
    /// What the artifact was compiled for.
    pub target: TargetRecord,
    /// The artifact.
    pub artifact: ArtifactRecord,
    /// The functions that it offers, by name.
    pub entries: Vec<String>,
    /// The arguments that entries take beside their own, by entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentRecord>,
    /// The packs that took part.
    pub packs: Vec<PackRecord>,
    /// The rules that fired.
    pub rules: Vec<RuleRecord>,
    /// What the sites refer to: in order, each once.
    pub referents: Vec<Referent>,
    /// The words to relocate, by symbol and offset.
    pub sites: Vec<SiteRecord>,
    /// Whether the artifact is valid in another session.
    pub portable: bool,
}

/// What an artifact was compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRecord {
    /// The target's name.
    pub name: String,
    /// LLVM's triple.
    pub triple: String,
    /// LLVM's name of the processor.
    pub cpu: String,
    /// LLVM's features.
    pub features: String,
}

/// An artifact, as it can be recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactRecord {
    /// Its kind, as `--emit` names it.
    pub kind: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its BLAKE3 hash, in hex.
    pub blake3: String,
}

/// An argument that an entry takes beside its own: the address of a table of words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentRecord {
    /// The entry.
    pub entry: String,
    /// Its place among the entry's arguments, from 0.
    pub argument: u64,
    /// The table: the symbol of its sites.
    pub table: String,
}

/// A pack and the BLAKE3 hash of its texts, in hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackRecord {
    /// The pack.
    pub name: String,
    /// The hash.
    pub digest: String,
}

/// A rule and the BLAKE3 hash of what it means, in hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleRecord {
    /// The rule.
    pub rule: String,
    /// The hash.
    pub digest: String,
}

/// A word to relocate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteRecord {
    /// The global that it lies in.
    pub symbol: String,
    /// Bytes from the global's start.
    pub offset: u64,
    /// Width in bits.
    pub width: u32,
    /// Index into [`Manifest::referents`].
    pub referent: usize,
    /// What the loader does.
    pub action: Action,
    /// The strategy that asked for it.
    pub strategy: String,
    /// Its place in the order that code and loader share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Where the site is in a shared object: its virtual address, relative to the base that it is loaded at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
}

impl SiteRecord {
    /// Its width in bytes.
    pub fn bytes(&self) -> u64 {
        u64::from(self.width / 8)
    }

    /// Bytes from the global's start to the site's end, unless they are too many to count.
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.bytes())
    }
}

/// A manifest that can't be used.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub enum ManifestError {
    /// It is no JSON of this shape.
    #[error("this is no manifest: {message}")]
    #[diagnostic(
        code("relo::manifest::format"),
        help("a manifest is the .reloc.json that `relo compile` writes beside the artifact")
    )]
    Format {
        /// What is wrong.
        message: String,
        /// The text.
        #[source_code]
        source_code: NamedSource<String>,
        /// The place.
        #[label("here")]
        at: SourceSpan,
    },
    /// It has another version.
    #[error("this manifest has version {found}, and this loader reads version {VERSION}")]
    #[diagnostic(
        code("relo::manifest::version"),
        help("compile again with this relo, or load with that one")
    )]
    Version {
        /// The version.
        found: u64,
    },
    /// It contradicts itself.
    #[error("this manifest is inconsistent:\n{}", list(.problems))]
    #[diagnostic(
        code("relo::manifest::inconsistent"),
        help("it was altered, or not written by relo: compile again")
    )]
    Inconsistent {
        /// What is wrong, each with a path into the JSON.
        problems: Vec<String>,
    },
}

fn list(problems: &[String]) -> String {
    problems.iter().map(|problem| format!("  {problem}")).collect::<Vec<_>>().join("\n")
}

impl Manifest {
    /// Reads and checks a manifest; `name` is what diagnostics call it.
    ///
    /// # Errors
    /// When it is not of this form or version, or contradicts itself.
    pub fn parse(text: &str, name: &str) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| match version(text) {
            Some(found) if found != u64::from(VERSION) => ManifestError::Version { found },
            _ => format_error(&error, text, name),
        })?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The manifest as JSON: the same bytes for the same manifest.
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("texts, numbers and lists of them have a JSON form");
        text.push('\n');
        text
    }

    /// Checks what must hold of a manifest by itself: version, hashes, order, widths, ranges, references.
    ///
    /// # Errors
    /// When it has another version, or contradicts itself: everything that is wrong.
    pub fn check(&self) -> Result<(), ManifestError> {
        if self.relo != VERSION {
            return Err(ManifestError::Version { found: self.relo.into() });
        }
        let problems = problems(self);
        if problems.is_empty() { Ok(()) } else { Err(ManifestError::Inconsistent { problems }) }
    }
}

/// The version of a manifest of any version.
fn version(text: &str) -> Option<u64> {
    #[derive(Deserialize)]
    struct Version {
        relo: u64,
    }
    serde_json::from_str(text).ok().map(|Version { relo }| relo)
}

/// A mistake in the JSON, at the last character that was read.
fn format_error(error: &serde_json::Error, text: &str, name: &str) -> ManifestError {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    let line: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let read =
        (line + error.column()..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    let last = text[..read].trim_end().char_indices().next_back();
    let at = last.map_or(0..0, |(at, character)| at..at + character.len_utf8());
    let (text, at) = readable(text, at);
    ManifestError::Format {
        message: message.to_owned(),
        source_code: NamedSource::new(name, text.to_owned()).with_language("json"),
        at: at.into(),
    }
}

/// The text to show with a mistake: of a line that is too long to read, what is around it.
fn readable(text: &str, at: Range<usize>) -> (&str, Range<usize>) {
    let start = text[..at.start].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at.end..].find('\n').map_or(text.len(), |length| at.end + length);
    if end - start <= LONGEST_LINE {
        return (text, at);
    }
    let boundary = |place: &usize| text.is_char_boundary(*place);
    let from =
        (start..=at.start.saturating_sub(LONGEST_LINE / 4).max(start)).rev().find(boundary).unwrap_or(start);
    let to = ((at.end + LONGEST_LINE / 4).min(end)..=end).find(boundary).unwrap_or(end);
    (&text[from..to], at.start - from..at.end - from)
}
