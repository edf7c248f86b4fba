//! What a loader needs beside the artifact: every site, its referent, its action.
//!
//! The schema is `docs/manifest.schema.json`. A manifest is untrusted input: [`Manifest::parse`] checks all that can
//! be checked without the artifact.

use miette::{NamedSource, SourceSpan};
use relo_referent::{Action, Referent};
use serde::{Deserialize, Serialize};

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// Larger artifacts than this are refused: 16 GiB.
const LARGEST: u64 = 1 << 34;

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
    #[error("this manifest is inconsistent: {message}")]
    #[diagnostic(
        code("relo::manifest::inconsistent"),
        help("it was altered, or not written by relo: compile again")
    )]
    Inconsistent {
        /// What is wrong.
        message: String,
    },
}

impl Manifest {
    /// Reads and checks a manifest; `name` is what diagnostics call it.
    ///
    /// # Errors
    /// When it is not of this form or version, or contradicts itself.
    pub fn parse(text: &str, name: &str) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Version {
            relo: u64,
        }
        if let Ok(Version { relo }) = serde_json::from_str(text)
            && relo != u64::from(VERSION)
        {
            return Err(ManifestError::Version { found: relo });
        }
        let manifest: Self = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let line_start: usize =
                text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let at = (line_start + error.column().saturating_sub(1)).min(text.len().saturating_sub(1));
            ManifestError::Format {
                message: message.split(" at line ").next().unwrap_or(&message).to_owned(),
                source_code: NamedSource::new(name, text.to_owned()),
                at: (at, usize::from(!text.is_empty())).into(),
            }
        })?;
        manifest.check().map_err(|message| ManifestError::Inconsistent { message })?;
        Ok(manifest)
    }

    /// The manifest as JSON: the same bytes for the same manifest.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What must hold of a manifest by itself.
    fn check(&self) -> Result<(), String> {
        if self.artifact.size > LARGEST {
            return Err(format!("an artifact of {} bytes", self.artifact.size));
        }
        let is_hash = |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash(&self.artifact.blake3) {
            return Err("the artifact's hash is none".into());
        }
        if !self.referents.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err("the referents are not in order, or not unique".into());
        }
        for referent in &self.referents {
            if let Some(reason) = referent.malformed() {
                return Err(format!("a referent {reason}"));
            }
        }
        let mut end: Option<(&str, u64)> = None;
        for site in &self.sites {
            let name = &site.symbol;
            if name.is_empty() || name.contains('\0') {
                return Err("a site has no symbol".into());
            }
            if site.width != 32 && site.width != 64 {
                return Err(format!("a site of `{name}` is {} bits wide", site.width));
            }
            if site.referent >= self.referents.len() {
                return Err(format!("a site of `{name}` has no referent"));
            }
            let past = site
                .offset
                .checked_add(u64::from(site.width / 8))
                .filter(|past| *past <= LARGEST)
                .ok_or_else(|| format!("a site of `{name}` lies at byte {}", site.offset))?;
            if let Some((symbol, before)) = end
                && (symbol > name.as_str() || symbol == name && before > site.offset)
            {
                return Err(format!("the sites of `{name}` overlap, or are not in order"));
            }
            if site.at.is_some_and(|at| at > LARGEST) {
                return Err(format!("a site of `{name}` lies outside every image"));
            }
            end = Some((name, past));
        }
        Ok(())
    }
}
