//! The words in a global's initialiser that refer to the host.

use std::ffi::{c_uint, c_void};

use mlir_sys::{
    MlirAttribute, MlirOperation, MlirStringRef, MlirType, mlirArrayAttrGetElement,
    mlirArrayAttrGetNumElements, mlirAttributeIsAArray, mlirTypeAttrGetValue,
};
use relo_engine::{Datum, Kind, Native, Natives, regex};
use relo_referent::Referent;

use super::{name_of, one};
use crate::attributes::{Site, site_of};
use crate::handle::{named_attribute, text};
use crate::host::{MlirHost, type_text};
use crate::shim::{WORD_SYMBOL, reloContentsWords};

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(Native::pure(
        "session_sites",
        &[("symbol", Kind::Symbol)],
        &[Kind::List],
        "The words of a global's initial contents that the session table knows as addresses, as sites.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            let width = u64::from(host.surroundings.word_width);
            let sites: Vec<Datum> = words(op)
                .into_iter()
                .filter(|word| word.width == width && word.symbol.is_none())
                .filter_map(|word| {
                    let referent = host.surroundings.session.by_address(word.value)?;
                    Some(site(&word, referent.clone()))
                })
                .collect();
            (!sites.is_empty()).then(|| vec![Datum::List(sites)])
        },
    ));
    natives.add(Native::pure(
        "symbol_sites",
        &[("symbol", Kind::Symbol), ("names", Kind::Regex), ("library", Kind::Str)],
        &[Kind::List],
        "The words of a global's initial contents that are addresses in declared data whose name matches, as sites \
         that refer to these symbols in the library (any, where its name is empty).",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            let names = regex(name_of(&arguments[1])?).ok()?;
            let library = Some(name_of(&arguments[2])?.to_owned()).filter(|library| !library.is_empty());
            let mut sites = Vec::new();
            for word in words(op) {
                let Some(name) = word.symbol.as_deref().filter(|name| names.is_match(name)) else { continue };
                let Some(declared) = host.symbols.borrow().get(name) else { continue };
                if super::symbols::operation_name(declared) == "llvm.mlir.global"
                    && super::symbols::is_declaration(declared)
                {
                    let referent = Referent::Symbol {
                        name: name.to_owned(),
                        library: library.clone(),
                        addend: word.value.cast_signed(),
                    };
                    sites.push(site(&word, referent));
                }
            }
            (!sites.is_empty()).then(|| vec![Datum::List(sites)])
        },
    ));
    natives.add(Native::pure(
        "recorded_sites",
        &[("symbol", Kind::Symbol), ("strategy", Kind::Str)],
        &[Kind::List],
        "The sites that a global's `reloc.sites` gives to the strategy, or to none yet: what an earlier compilation, or \
         another tool, left to be delivered.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            let wanted = name_of(&arguments[1])?;
            let sites = array(named_attribute(op, "reloc.sites")?);
            let mine = |site: &Site| site.strategy.as_deref().is_none_or(|strategy| strategy == wanted);
            (!sites.is_empty() && sites.iter().all(mine)).then(|| {
                let members = sites.into_iter().map(|site| {
                    Datum::List(vec![
                        Datum::Int(site.offset.into()),
                        Datum::Int(site.width.into()),
                        Datum::Referent(site.referent),
                    ])
                });
                vec![Datum::List(members.collect())]
            })
        },
    ));
    natives.add(Native::pure(
        "only_referent",
        &[("sites", Kind::List)],
        &[Kind::Referent],
        "The referent of the one site that there is.",
        |_: &mut MlirHost<'a>, arguments: &[Datum]| match &arguments[0] {
            Datum::List(sites) => match sites.as_slice() {
                [Datum::List(parts)] => one(parts.get(2)?.clone()),
                _ => None,
            },
            _ => None,
        },
    ));
    natives.add(
        Native::pure(
            "zeros",
            &[("sites", Kind::List)],
            &[Kind::List],
            "A zero for each site: the words to fill in where a loader writes the right ones.",
            |_: &mut MlirHost<'a>, arguments: &[Datum]| {
                let Datum::List(sites) = &arguments[0] else { return None };
                let zeros: Option<Vec<Datum>> = sites
                    .iter()
                    .map(|site| Some(Datum::List(vec![offset_of(site)?, Datum::Int(0)])))
                    .collect();
                one(Datum::List(zeros?))
            },
        )
        .total(),
    );
    natives.add(
        Native::pure(
            "word",
            &[("offset", Kind::Int), ("word", Kind::Int)],
            &[Kind::List],
            "One word to fill in, at a byte offset.",
            |_: &mut MlirHost<'a>, arguments: &[Datum]| {
                one(Datum::List(vec![Datum::List(arguments.to_vec())]))
            },
        )
        .total(),
    );
    natives.add(Native::pure(
        "resolve_sites",
        &[("sites", Kind::List)],
        &[Kind::List],
        "Each site's word in the compiling session. What can't be resolved is reported when the phase is over.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::List(sites) = &arguments[0] else { return None };
            let mut filled = Vec::new();
            let mut complete = true;
            for site in sites {
                let Datum::List(parts) = site else { return None };
                let Some(Datum::Referent(referent)) = parts.get(2) else { return None };
                match (host.surroundings.resolve)(referent) {
                    Some(word) => filled.push(Datum::List(vec![offset_of(site)?, Datum::Int(word.into())])),
                    None => {
                        host.unresolved.insert(referent.clone());
                        complete = false;
                    }
                }
            }
            complete.then(|| vec![Datum::List(filled)])
        },
    )
    .total());
}

/// The sites of an array attribute.
fn array(attribute: MlirAttribute) -> Vec<Site> {
    // SAFETY: the attribute is alive; it is asked first whether it is an array.
    unsafe {
        let count = if mlirAttributeIsAArray(attribute) { mlirArrayAttrGetNumElements(attribute) } else { 0 };
        (0..count).filter_map(|index| site_of(mlirArrayAttrGetElement(attribute, index))).collect()
    }
}

fn offset_of(site: &Datum) -> Option<Datum> {
    match site {
        Datum::List(parts) => parts.first().cloned(),
        _ => None,
    }
}

fn site(word: &Word, referent: Referent) -> Datum {
    Datum::List(vec![
        Datum::Int(word.offset.into()),
        Datum::Int(word.width.into()),
        Datum::Referent(referent),
    ])
}

/// A word of an initialiser.
pub(super) struct Word {
    /// Byte offset in the global.
    pub(super) offset: u64,
    /// Width in bits.
    pub(super) width: u64,
    /// The number, or the bytes added to the symbol's address.
    pub(super) value: u64,
    /// The symbol whose address it is.
    pub(super) symbol: Option<String>,
    /// Whether it is all that the global has.
    pub(super) is_whole: bool,
}

/// The words of a global's initialiser whose contents are known.
pub(super) fn words(op: MlirOperation) -> Vec<Word> {
    struct Collected {
        words: Vec<Word>,
        is_whole: bool,
    }
    unsafe extern "C" fn collect(
        user: *mut c_void,
        offset: u64,
        width: u64,
        kind: c_uint,
        value: u64,
        symbol: MlirStringRef,
    ) {
        // SAFETY: `user` is the collection below; the symbol's text lives during the call.
        unsafe {
            let collected = &mut *user.cast::<Collected>();
            let symbol = (kind == WORD_SYMBOL).then(|| text(symbol).to_owned());
            let is_whole = collected.is_whole;
            collected.words.push(Word { offset, width, value, symbol, is_whole });
        }
    }
    let Some(ty) = global_type(op) else { return Vec::new() };
    let text = type_text(ty);
    let mut collected =
        Collected { words: Vec::new(), is_whole: text.starts_with('i') || text.starts_with("!llvm.ptr") };
    // SAFETY: the operation and its type are alive; the callee calls back before it returns.
    unsafe { reloContentsWords(op, ty, (&raw mut collected).cast(), collect) };
    collected.words.sort_by_key(|word| word.offset);
    collected.words
}

/// The type of a global's value.
pub(crate) fn global_type(op: MlirOperation) -> Option<MlirType> {
    let attribute = named_attribute(op, "global_type")?;
    // SAFETY: the attribute is alive; of another kind it would not be `global_type`.
    unsafe { mlir_sys::mlirAttributeIsAType(attribute).then(|| mlirTypeAttrGetValue(attribute)) }
}
