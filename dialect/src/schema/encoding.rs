//! Enumerators, from their names to MLIR's text and back.

use std::borrow::Cow;

/// How an enumeration's value stands in the IR. Flags list each combination as MLIR prints it: `nsw, nuw`,
/// `inbounds|nuw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// An integer attribute: `predicate = 6 : i64`.
    Integer {
        /// Its width in bits.
        width: u32,
        /// Names and values.
        cases: &'static [(&'static str, i64)],
    },
    /// An attribute of a dialect: `#llvm.linkage<weak_odr>`, `#nvvm<shfl_kind bfly>`.
    Dialect {
        /// What stands before the name; after it comes a closing angle bracket.
        prefix: &'static str,
        /// The names.
        cases: &'static [&'static str],
    },
}

impl Encoding {
    /// The enumerators' names, in the order of their definition.
    pub fn cases(&self) -> Vec<String> {
        match self {
            Self::Integer { cases, .. } => cases.iter().map(|(case, _)| (*case).to_owned()).collect(),
            Self::Dialect { cases, .. } => cases.iter().map(|case| (*case).to_owned()).collect(),
        }
    }

    /// The attribute of an enumerator, as MLIR prints it; `None` where there is no enumerator of that name.
    pub fn encode(&self, name: &str) -> Option<String> {
        match self {
            Self::Integer { width, cases } => {
                let (_, value) = cases.iter().find(|(case, _)| *case == name)?;
                Some(format!("{value} : i{width}"))
            }
            Self::Dialect { prefix, cases } => {
                cases.contains(&name).then(|| format!("{prefix}{}>", quoted_as_needed(name)))
            }
        }
    }

    /// The enumerator of an attribute as MLIR prints it; `None` where it is no attribute of this enumeration.
    pub fn decode(&self, attribute: &str) -> Option<&'static str> {
        match self {
            Self::Integer { width, cases } => {
                let (value, ty) = attribute.split_once(" : i")?;
                let (value, ty): (i64, u32) = (value.parse().ok()?, ty.parse().ok()?);
                let (case, _) = cases.iter().find(|(_, one)| *one == value)?;
                (ty == *width).then_some(*case)
            }
            Self::Dialect { prefix, cases } => {
                let name = attribute.strip_prefix(prefix)?.strip_suffix('>')?.trim_matches('"');
                cases.iter().copied().find(|case| *case == name)
            }
        }
    }
}

/// MLIR quotes what is no keyword, `"non-leaf"`; flags are keywords between separators.
fn quoted_as_needed(name: &str) -> Cow<'_, str> {
    if name.chars().all(|c| c.is_ascii_alphanumeric() || "_$.,| ".contains(c)) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(format!("\"{name}\""))
    }
}
