//! The three kinds of referent.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a host reference refers to. Its JSON form is the one session tables and manifests share:
/// `{"object": {"runtime", "key", "addend"?}}`, `{"symbol": {"name", "library"?, "addend"?}}`,
/// `{"word": {"symbol", "library"?, "offset"?}}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Referent {
    /// An identity that the host knows by a key. The key is opaque to relo and never an address.
    Object {
        /// The language runtime that owns the object.
        runtime: String,
        /// The runtime's own name of the object.
        key: String,
        /// Bytes added to the object's word: an address inside the object, or before it.
        #[serde(default, skip_serializing_if = "is_zero")]
        addend: i64,
    },
    /// The address of a named function or datum.
    Symbol {
        /// The name, as the dynamic linker knows it.
        name: String,
        /// The library that defines it; anywhere in the process where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        library: Option<String>,
        /// Bytes added to the address.
        #[serde(default, skip_serializing_if = "is_zero")]
        addend: i64,
    },
    /// The word that is *stored* at a symbol's address plus an offset.
    Word {
        /// The datum's name, as the dynamic linker knows it.
        symbol: String,
        /// The library that defines it; anywhere in the process where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        library: Option<String>,
        /// Bytes from the symbol to the word.
        #[serde(default, skip_serializing_if = "is_zero_unsigned")]
        offset: u64,
    },
}

impl Referent {
    /// What is wrong with it, if anything: names are not empty, and hold no NUL.
    pub fn malformed(&self) -> Option<String> {
        let parts = match self {
            Self::Object { runtime, key, .. } => [("runtime", Some(runtime)), ("key", Some(key))],
            Self::Symbol { name, library, .. } => [("name", Some(name)), ("library", library.as_ref())],
            Self::Word { symbol, library, .. } => [("symbol", Some(symbol)), ("library", library.as_ref())],
        };
        parts.into_iter().find_map(|(what, text)| match text {
            Some(text) if text.is_empty() => Some(format!("has an empty {what}")),
            Some(text) if text.contains('\0') => Some(format!("has a NUL in its {what}")),
            _ => None,
        })
    }

    /// What ties it to the machine that compiles: a library by its path, which is another's elsewhere.
    pub(crate) fn path(&self) -> Option<&str> {
        let (Self::Symbol { library, .. } | Self::Word { library, .. }) = self else { return None };
        library.as_deref().filter(|library| library.contains(['/', '\\']))
    }

    /// A global's name for it: a readable stem of characters that every target accepts, and a hash of the whole.
    pub fn slot_name(&self) -> String {
        let text = match self {
            Self::Object { key, .. } => key,
            Self::Symbol { name, .. } => name,
            Self::Word { symbol, .. } => symbol,
        };
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let stem: String = words.collect::<Vec<_>>().join("_").chars().take(24).collect();
        let hash = blake3::hash(self.to_string().as_bytes()).to_hex();
        format!("relo_{}_{}", stem.trim_end_matches('_'), &hash[..16])
    }
}

/// As sources of C and its like say it: `object:RUNTIME:KEY`, `symbol:NAME@LIBRARY` or `word:NAME+OFFSET@LIBRARY`. The
/// library may be left out, and so may the offset.
impl FromStr for Referent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let (name, library) = match rest.split_once('@') {
            Some((name, library)) => (name.to_owned(), Some(library.to_owned())),
            None => (rest.to_owned(), None),
        };
        let referent = match kind {
            "object" => {
                let (runtime, key) = rest.split_once(':').ok_or("has no key")?;
                Self::Object { runtime: runtime.to_owned(), key: key.to_owned(), addend: 0 }
            }
            "symbol" => Self::Symbol { name, library, addend: 0 },
            "word" => match name.split_once('+') {
                Some((symbol, offset)) => {
                    let offset = offset.parse().map_err(|_| format!("has the offset `{offset}`"))?;
                    Self::Word { symbol: symbol.to_owned(), library, offset }
                }
                None => Self::Word { symbol: name, library, offset: 0 },
            },
            _ => return Err(format!("is of no kind `{kind}`")),
        };
        let tied = || Some(format!("names a library by its path on this machine, `{}`", referent.path()?));
        referent.malformed().or_else(tied).map_or(Ok(referent), Err)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(addend: &i64) -> bool {
    *addend == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero_unsigned(offset: &u64) -> bool {
    *offset == 0
}

/// The dialect's spelling: `object<"julia", "Symbol foo" + 8>`.
impl fmt::Display for Referent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = match self {
            Self::Object { runtime, key, addend } => {
                write!(f, "object<{runtime:?}, {key:?}")?;
                write_addend(f, *addend)?;
                return f.write_str(">");
            }
            Self::Symbol { name, library, addend } => {
                write!(f, "symbol<{name:?}")?;
                write_addend(f, *addend)?;
                library
            }
            Self::Word { symbol, library, offset } => {
                write!(f, "word<{symbol:?}")?;
                if *offset != 0 {
                    write!(f, " + {offset}")?;
                }
                library
            }
        };
        if let Some(library) = library {
            write!(f, ", {library:?}")?;
        }
        f.write_str(">")
    }
}

fn write_addend(f: &mut fmt::Formatter<'_>, addend: i64) -> fmt::Result {
    match addend {
        0 => Ok(()),
        1.. => write!(f, " + {addend}"),
        _ => write!(f, " - {}", addend.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::Referent;

    #[test]
    fn sources_spell_referents() {
        let spelled = |text: &str| text.parse::<Referent>().map(|referent| referent.to_string());
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(spelled("object:toy:a:b@c+1"), ok(r#"object<"toy", "a:b@c+1">"#));
        assert_eq!(spelled("symbol:cos"), ok(r#"symbol<"cos">"#));
        assert_eq!(spelled("symbol:cos@libm.so.6"), ok(r#"symbol<"cos", "libm.so.6">"#));
        assert_eq!(spelled("word:rt_types+16@librt.so"), ok(r#"word<"rt_types" + 16, "librt.so">"#));
        for wrong in [
            "",
            "cos",
            "object:toy",
            "object::key",
            "symbol:",
            "symbol:cos@",
            "symbol:cos@/lib/libm.so.6",
            "word:a+-8",
            "word:+8",
        ] {
            assert!(spelled(wrong).is_err(), "{wrong}");
        }
    }
}
