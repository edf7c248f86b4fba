//! Building what PDL can't: symbols with contents, and operations whose parts are only known when a rule fires.

use std::collections::BTreeMap;

use mlir_sys::*;
use relo_engine::normal::{Construction, Initializer, Term};
use relo_engine::{Datum, Natives};

use crate::attributes::{Site, site_attribute};
use crate::encode::encode;
use crate::handle::{named_attribute, operation, string_ref, value};
use crate::host::MlirHost;
use crate::natives::as_word;
use crate::shim::reloContentsFill;

/// A function from terms to what they are now.
pub(crate) type Look<'f, 'a> =
    &'f mut dyn FnMut(&Term, &mut MlirHost<'a>, &Natives<MlirHost<'a>>) -> Option<Datum>;

/// Builds an operation or a global.
///
/// # Errors
/// What could not be built, as a sentence; the module is discarded then.
pub(crate) fn build<'a>(
    construction: &Construction,
    host: &mut MlirHost<'a>,
    natives: &Natives<MlirHost<'a>>,
    look: Look<'_, 'a>,
) -> Result<Option<MlirValue>, String> {
    match construction {
        Construction::Operation { name, operands, attributes, spread, types, .. } => {
            let mut values = Vec::new();
            for term in operands {
                match look(term, host, natives) {
                    Some(Datum::Value(of)) => values.push(value(of)),
                    Some(Datum::List(members)) => {
                        values.extend(members.iter().filter_map(|member| match member {
                            Datum::Value(of) => Some(value(*of)),
                            _ => None,
                        }))
                    }
                    _ => return Err(format!("an operand of `{name}` has no value")),
                }
            }
            let types: Vec<MlirType> = types
                .iter()
                .map(|term| look(term, host, natives).and_then(|datum| host.type_in(&datum)))
                .collect::<Option<_>>()
                .ok_or_else(|| format!("a result of `{name}` has no type"))?;
            let spread = spread.map(Term::Binding);
            let named =
                gather(name, attributes, spread.as_ref(), types.first().copied(), host, natives, look)?;
            let named: Vec<(&str, MlirAttribute)> =
                named.iter().map(|(key, made)| (key.as_str(), *made)).collect();
            let made = host.create(name, &named, &values, &types, false).ok_or("MLIR refuses it")?;
            // SAFETY: the operation was just made.
            Ok(unsafe { (mlirOperationGetNumResults(made) > 0).then(|| mlirOperationGetResult(made, 0)) })
        }
        Construction::Global { .. } => global(construction, host, natives, look).map(|()| None),
        Construction::Builder { .. } => Err("a builder is called, not built".into()),
    }
}

/// The attributes of what is built: those spread, then those named, which win.
fn gather<'a>(
    operation: &str,
    attributes: &[(String, Term)],
    spread: Option<&Term>,
    result: Option<MlirType>,
    host: &mut MlirHost<'a>,
    natives: &Natives<MlirHost<'a>>,
    look: Look<'_, 'a>,
) -> Result<BTreeMap<String, MlirAttribute>, String> {
    let mut named = BTreeMap::new();
    if let Some(spread) = spread {
        let datum = look(spread, host, natives);
        let datum = match datum {
            Some(Datum::Attr(of)) => relo_engine::Host::decode(host, of),
            Some(datum) => datum,
            None => Datum::Dictionary(Vec::new()),
        };
        let Datum::Dictionary(members) = datum else { return Err("what is spread is no dictionary".into()) };
        named.extend(members.into_iter().map(|(name, of)| (name, crate::handle::attribute(of))));
    }
    for (name, term) in attributes {
        let datum = if *term == Term::Absent { None } else { look(term, host, natives) };
        let made = match datum {
            Some(datum) => encode(host.raw_context(), operation, name, &datum, result)?,
            None => None,
        };
        match made {
            Some(made) => named.insert(name.clone(), made),
            None => named.remove(name),
        };
    }
    Ok(named)
}

fn global<'a>(
    construction: &Construction,
    host: &mut MlirHost<'a>,
    natives: &Natives<MlirHost<'a>>,
    look: Look<'_, 'a>,
) -> Result<(), String> {
    let Construction::Global { name, symbol, ty: of, initializer, attributes, spread, sites, .. } =
        construction
    else {
        return Err("this is no global".into());
    };
    let symbol = match look(symbol, host, natives) {
        Some(Datum::Symbol(name) | Datum::Str(name)) => name,
        Some(Datum::Attr(of)) => match relo_engine::Host::decode(host, of) {
            Datum::Symbol(name) | Datum::Str(name) => name,
            _ => return Err("a global's name is no symbol".into()),
        },
        _ => return Err("a global has no name".into()),
    };
    let of = look(of, host, natives).and_then(|datum| host.type_in(&datum)).ok_or("a global has no type")?;
    let spread = spread.map(Term::Binding);
    let mut named = gather(name, attributes, spread.as_ref(), Some(of), host, natives, look)?;
    named.insert("sym_name".into(), host.string(&symbol));
    named.insert("global_type".into(), crate::natives::type_attribute(of));
    let (_, root) = host.building.ok_or("nothing is being built")?;
    let root = operation(root);
    if !sites.is_empty() {
        named.insert("reloc.sites".into(), site_array(sites, of, root, host, natives, look)?);
    }
    let words = match initializer {
        Some(Initializer::Filled(words)) => {
            fill_list(look(words, host, natives)).ok_or("the words are no words")?
        }
        _ => Vec::new(),
    };
    match initializer {
        Some(Initializer::Word(word)) => {
            let word = match look(word, host, natives) {
                Some(Datum::Int(word)) => as_word(word).ok_or("the word is too large")?,
                _ => return Err("the word is no number".into()),
            };
            // SAFETY: the type is alive.
            if unsafe { mlirTypeIsAInteger(of) } {
                // SAFETY: as above.
                named.insert("value".into(), unsafe { mlirIntegerAttrGet(of, word.cast_signed()) });
            } else {
                return Err(
                    "a word that is a pointer is loaded as an integer: give it an integer type".into()
                );
            }
        }
        Some(Initializer::Contents | Initializer::Filled(_)) => {
            if let Some(contents) = named_attribute(root, "value") {
                named.insert("value".into(), contents);
            }
        }
        Some(Initializer::Zero) | None => {}
    }
    let named: Vec<(&str, MlirAttribute)> = named.iter().map(|(key, made)| (key.as_str(), *made)).collect();
    let made = host.create(name, &named, &[], &[], true).ok_or("MLIR refuses it")?;
    let symbols = host.symbols.clone();
    let mut symbols = symbols.borrow_mut();
    symbols.recount(&[made, root], || {
        // SAFETY: both operations are alive; the root's region is given up, as the root itself will be.
        unsafe {
            let region = mlirOperationGetRegion(made, 0);
            match initializer {
                Some(Initializer::Zero) => append_zero(region, of, root),
                Some(Initializer::Contents | Initializer::Filled(_))
                    if mlirOperationGetNumRegions(root) == 1 =>
                {
                    mlirRegionTakeBody(region, mlirOperationGetRegion(root, 0));
                }
                _ => {}
            }
            let (offsets, words): (Vec<u64>, Vec<u64>) = words.iter().copied().unzip();
            if !words.is_empty() {
                let filled = reloContentsFill(made, of, offsets.as_ptr(), words.as_ptr(), words.len());
                if filled != words.len() {
                    return Err(format!("@{symbol} has no word at byte {}", offsets[filled]));
                }
            }
            Ok(())
        }
    })
}

/// The sites of a `site` statement, delivered as the root is.
fn site_array<'a>(
    sites: &[(Term, Term)],
    of: MlirType,
    root: MlirOperation,
    host: &mut MlirHost<'a>,
    natives: &Natives<MlirHost<'a>>,
    look: Look<'_, 'a>,
) -> Result<MlirAttribute, String> {
    // SAFETY: the type is alive.
    let width = unsafe {
        if mlirTypeIsAInteger(of) { mlirIntegerTypeGetWidth(of) } else { host.surroundings.word_width }
    };
    let strategy = crate::handle::string_attribute(root, "strategy");
    let index = match host.plain(root, "index") {
        Some(Datum::Int(index)) => u64::try_from(index).ok(),
        _ => None,
    };
    let mut made = Vec::new();
    for (offset, referent) in sites {
        let offset = match look(offset, host, natives) {
            Some(Datum::Int(offset)) => u64::try_from(offset).map_err(|_| "a site's offset is negative")?,
            _ => return Err("a site's offset is no number".into()),
        };
        let referent = match look(referent, host, natives) {
            Some(Datum::Attr(of)) => relo_engine::Host::decode(host, of),
            Some(datum) => datum,
            None => return Err("a site has no referent".into()),
        };
        let Datum::Referent(referent) = referent else { return Err("a site's referent is none".into()) };
        let site = Site { offset, width, referent, strategy: strategy.clone(), index };
        made.push(site_attribute(host.raw_context(), &site));
    }
    // SAFETY: the context is alive, and MLIR copies the array.
    Ok(unsafe { mlirArrayAttrGet(host.raw_context(), made.len() as isize, made.as_ptr()) })
}

/// Offsets and words of a list that `filled` takes.
fn fill_list(datum: Option<Datum>) -> Option<Vec<(u64, u64)>> {
    let Some(Datum::List(members)) = datum else { return None };
    members
        .iter()
        .map(|member| match member {
            Datum::List(parts) => match parts.as_slice() {
                [Datum::Int(offset), Datum::Int(word)] => {
                    Some((u64::try_from(*offset).ok()?, as_word(*word)?))
                }
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// An initialiser of zeros.
///
/// # Safety
/// Everything is alive, and the region empty.
unsafe fn append_zero(region: MlirRegion, of: MlirType, root: MlirOperation) {
    // SAFETY: as the caller says; block and operations are handed over to the region.
    unsafe {
        let location = mlirOperationGetLocation(root);
        let block = mlirBlockCreate(0, std::ptr::null(), std::ptr::null());
        mlirRegionAppendOwnedBlock(region, block);
        let mut state = mlirOperationStateGet(string_ref("llvm.mlir.zero"), location);
        mlirOperationStateAddResults(&raw mut state, 1, &raw const of);
        let zero = mlirOperationCreate(&raw mut state);
        mlirBlockAppendOwnedOperation(block, zero);
        let zero = mlirOperationGetResult(zero, 0);
        let mut state = mlirOperationStateGet(string_ref("llvm.return"), location);
        mlirOperationStateAddOperands(&raw mut state, 1, &raw const zero);
        mlirBlockAppendOwnedOperation(block, mlirOperationCreate(&raw mut state));
    }
}
