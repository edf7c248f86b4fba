//! Referents and sites as attributes.

use mlir_sys::{MlirAttribute, MlirContext, MlirStringRef};
use relo_referent::Referent;

use crate::context::owned;
use crate::handle::string_ref;

/// A word to relocate in a global, as the attribute `#reloc.site` holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Byte offset in the global.
    pub offset: u64,
    /// Width in bits.
    pub width: u32,
    /// What the word is.
    pub referent: Referent,
    /// How it is delivered; absent before planning.
    pub strategy: Option<String>,
    /// Its place in the order of its strategy.
    pub index: Option<u64>,
}

#[repr(C)]
struct RawReferent {
    kind: u32,
    first: MlirStringRef,
    second: MlirStringRef,
    addend: i64,
}

#[repr(C)]
struct RawSite {
    offset: i64,
    width: i64,
    referent: MlirAttribute,
    strategy: MlirStringRef,
    index: i64,
}

unsafe extern "C" {
    fn reloReferentGet(context: MlirContext, referent: RawReferent) -> MlirAttribute;
    fn reloReferentRead(attribute: MlirAttribute, referent: *mut RawReferent) -> bool;
    fn reloSiteGet(context: MlirContext, site: RawSite) -> MlirAttribute;
    fn reloSiteRead(attribute: MlirAttribute, site: *mut RawSite) -> bool;
}

/// The attribute of a referent. A malformed one is an attribute too: what it stands on does not verify.
pub(crate) fn referent_attribute(context: MlirContext, referent: &Referent) -> MlirAttribute {
    let (kind, first, second, addend) = match referent {
        Referent::Object { runtime, key, addend } => (0, runtime.as_str(), key.as_str(), *addend),
        Referent::Symbol { name, library, addend } => {
            (1, name.as_str(), library.as_deref().unwrap_or(""), *addend)
        }
        Referent::Word { symbol, library, offset } => {
            (2, symbol.as_str(), library.as_deref().unwrap_or(""), offset.cast_signed())
        }
    };
    let raw = RawReferent { kind, first: string_ref(first), second: string_ref(second), addend };
    // SAFETY: the context is alive; MLIR copies the strings.
    unsafe { reloReferentGet(context, raw) }
}

/// The referent of an attribute, if it is one.
pub(crate) fn referent_of(attribute: MlirAttribute) -> Option<Referent> {
    let empty = MlirStringRef { data: std::ptr::null(), length: 0 };
    let mut raw = RawReferent { kind: 0, first: empty, second: empty, addend: 0 };
    // SAFETY: the attribute is alive, and so are the strings that it holds.
    unsafe {
        if !reloReferentRead(attribute, &raw mut raw) {
            return None;
        }
        let (first, second) = (owned(raw.first), owned(raw.second));
        let library = Some(second.clone()).filter(|library| !library.is_empty());
        Some(match raw.kind {
            0 => Referent::Object { runtime: first, key: second, addend: raw.addend },
            1 => Referent::Symbol { name: first, library, addend: raw.addend },
            _ => Referent::Word { symbol: first, library, offset: raw.addend.cast_unsigned() },
        })
    }
}

/// The attribute of a site.
pub(crate) fn site_attribute(context: MlirContext, site: &Site) -> MlirAttribute {
    let strategy = site.strategy.as_deref().unwrap_or("");
    let raw = RawSite {
        offset: site.offset.cast_signed(),
        width: site.width.into(),
        referent: referent_attribute(context, &site.referent),
        strategy: string_ref(strategy),
        index: site.index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1),
    };
    // SAFETY: the context is alive; MLIR copies the strings.
    unsafe { reloSiteGet(context, raw) }
}

/// The site of an attribute, if it is one.
pub(crate) fn site_of(attribute: MlirAttribute) -> Option<Site> {
    let empty = MlirStringRef { data: std::ptr::null(), length: 0 };
    let null = MlirAttribute { ptr: std::ptr::null() };
    let mut raw = RawSite { offset: 0, width: 0, referent: null, strategy: empty, index: -1 };
    // SAFETY: the attribute is alive, and so are the parts that it holds.
    unsafe {
        if !reloSiteRead(attribute, &raw mut raw) {
            return None;
        }
        Some(Site {
            offset: raw.offset.cast_unsigned(),
            width: u32::try_from(raw.width).ok()?,
            referent: referent_of(raw.referent)?,
            strategy: Some(owned(raw.strategy)).filter(|strategy| !strategy.is_empty()),
            index: u64::try_from(raw.index).ok(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Site, referent_attribute, referent_of, site_attribute, site_of};
    use crate::context::Context;
    use crate::handle::printed;
    use relo_referent::Referent;

    fn text(attribute: mlir_sys::MlirAttribute) -> String {
        // SAFETY: the attribute is alive; the printer calls back before it returns.
        printed(|append, user| unsafe { mlir_sys::mlirAttributePrint(attribute, Some(append), user) })
    }

    /// Every kind, with and without a library, at every name and addend.
    fn referents() -> Vec<Referent> {
        let mut all = Vec::new();
        for name in ["a", "Symbol \"foo\"", "naïve → 日本", "back\\slash", "tab\tand\nline", "it's @%$#<>{}"]
        {
            for addend in [0, 8, -8, i64::MAX, i64::MIN] {
                all.push(Referent::Object { runtime: "r é".into(), key: name.into(), addend });
                for library in [None, Some(name.to_owned())] {
                    all.push(Referent::Symbol { name: name.into(), library: library.clone(), addend });
                    if let Ok(offset) = u64::try_from(addend) {
                        all.push(Referent::Word { symbol: name.into(), library, offset });
                    }
                }
            }
        }
        all
    }

    #[test]
    fn mlir_and_rust_spell_referents_alike() {
        let context = Context::new();
        for referent in referents() {
            let attribute = referent_attribute(context.raw(), &referent);
            assert_eq!(text(attribute), format!("#reloc.{referent}"));
            assert_eq!(referent_of(attribute), Some(referent));
        }
    }

    #[test]
    fn sites_come_back_as_they_went_in() {
        let context = Context::new();
        for (referent, (strategy, index)) in referents().into_iter().zip(
            [(None, None), (Some("one".to_owned()), None), (Some("two".into()), Some(3))].into_iter().cycle(),
        ) {
            let site = Site { offset: 8, width: 32, referent, strategy, index };
            assert_eq!(site_of(site_attribute(context.raw(), &site)), Some(site));
        }
        let other = referent_attribute(context.raw(), &referents()[0]);
        assert_eq!(site_of(other), None, "a referent is no site");
    }
}
