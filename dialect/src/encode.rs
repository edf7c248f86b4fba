//! Plain data as attributes, in the form that an operation's attribute has.

use mlir_sys::*;
use relo_engine::{Datum, as_word};

use crate::attributes::{Site, referent_attribute, site_attribute};
use crate::handle::{attribute, string_ref, ty};
use crate::schema::{Encoding, OdsSchema};

/// The attribute `name` of `operation` for a datum; `None` where it is left out (a unit that is false). `result` is
/// the type of the operation's result, which the value of a constant has.
///
/// # Errors
/// What does not fit, as a sentence.
pub(crate) fn encode(
    context: MlirContext,
    operation: &str,
    name: &str,
    datum: &Datum,
    result: Option<MlirType>,
) -> Result<Option<MlirAttribute>, String> {
    let schema = OdsSchema;
    let constraint = schema.constraint(operation, name);
    let misfit = |what: &str| Err(format!("{what} does not fit `{name}` of `{operation}` ({constraint})"));
    // SAFETY: the context is alive; strings and arrays live during each call, and MLIR copies them.
    let made = unsafe {
        match datum {
            Datum::Attr(of) => attribute(*of),
            Datum::Type(of) => mlirTypeAttrGet(ty(*of)),
            Datum::Referent(referent) => referent_attribute(context, referent),
            Datum::Bool(value) if matches!(constraint, "BoolAttr" | "I1Attr") => {
                mlirBoolAttrGet(context, i32::from(*value))
            }
            Datum::Bool(true) => mlirUnitAttrGet(context),
            Datum::Bool(false) => return Ok(None),
            Datum::Int(number) => {
                let Some(word) = as_word(*number) else { return misfit(&number.to_string()) };
                let of = integer_type(context, constraint, schema.encoding(operation, name), result);
                if mlirTypeIsAInteger(of) {
                    let width = mlirIntegerTypeGetWidth(of);
                    if width < 64 && (*number >= 1i128 << width || *number < -(1i128 << (width - 1))) {
                        return misfit(&number.to_string());
                    }
                }
                mlirIntegerAttrGet(of, word.cast_signed())
            }
            Datum::Str(text) => match schema.encoding(operation, name) {
                Some(Encoding::Integer { width, cases }) => {
                    let Some((_, value)) = cases.iter().find(|(case, _)| case == text) else {
                        return misfit(text);
                    };
                    mlirIntegerAttrGet(mlirIntegerTypeGet(context, *width), *value)
                }
                Some(encoding @ Encoding::Dialect { .. }) => {
                    let parsed = encoding
                        .encode(text)
                        .map(|spelled| mlirAttributeParseGet(context, string_ref(&spelled)))
                        .filter(|parsed| !parsed.ptr.is_null());
                    let Some(parsed) = parsed else { return misfit(text) };
                    parsed
                }
                None if constraint.contains("SymbolRef") => {
                    mlirFlatSymbolRefAttrGet(context, string_ref(text))
                }
                None => mlirStringAttrGet(context, string_ref(text)),
            },
            Datum::Symbol(text) if constraint.contains("SymbolRef") => {
                mlirFlatSymbolRefAttrGet(context, string_ref(text))
            }
            Datum::Symbol(text) => mlirStringAttrGet(context, string_ref(text)),
            Datum::List(members) => {
                return list(context, constraint, members)
                    .map_or_else(|| misfit("a list"), |made| Ok(Some(made)));
            }
            Datum::Dictionary(members) => {
                let named: Vec<MlirNamedAttribute> = members
                    .iter()
                    .map(|(name, member)| {
                        mlirNamedAttributeGet(
                            mlirIdentifierGet(context, string_ref(name)),
                            attribute(*member),
                        )
                    })
                    .collect();
                mlirDictionaryAttrGet(context, named.len() as isize, named.as_ptr())
            }
            Datum::Value(_) => return misfit("a value"),
        }
    };
    Ok(Some(made))
}

/// The type that a number has as an attribute.
fn integer_type(
    context: MlirContext,
    constraint: &str,
    encoding: Option<&Encoding>,
    result: Option<MlirType>,
) -> MlirType {
    // SAFETY: context and type are alive.
    unsafe {
        if let Some(Encoding::Integer { width, .. }) = encoding {
            return mlirIntegerTypeGet(context, *width);
        }
        let digits: String = constraint
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        match (digits.parse(), result) {
            (Ok(width), _) if constraint.contains("Attr") => mlirIntegerTypeGet(context, width),
            (_, Some(result)) if mlirTypeIsAInteger(result) => result,
            _ => mlirIntegerTypeGet(context, 64),
        }
    }
}

/// Numbers, sites, or whatever the members are.
fn list(context: MlirContext, constraint: &str, members: &[Datum]) -> Option<MlirAttribute> {
    let numbers = || -> Option<Vec<i64>> {
        let number = |member: &Datum| match member {
            Datum::Int(number) => i64::try_from(*number).ok(),
            _ => None,
        };
        members.iter().map(number).collect()
    };
    // SAFETY: the context is alive; the arrays live during each call, and MLIR copies them.
    unsafe {
        if constraint.starts_with("DenseI32Array") {
            let numbers: Vec<i32> =
                numbers()?.into_iter().map(i32::try_from).collect::<Result<_, _>>().ok()?;
            return Some(mlirDenseI32ArrayGet(context, numbers.len() as isize, numbers.as_ptr()));
        }
        if constraint.starts_with("DenseI64Array") {
            let numbers = numbers()?;
            return Some(mlirDenseI64ArrayGet(context, numbers.len() as isize, numbers.as_ptr()));
        }
        let members: Vec<MlirAttribute> =
            members.iter().map(|member| element(context, member)).collect::<Option<_>>()?;
        Some(mlirArrayAttrGet(context, members.len() as isize, members.as_ptr()))
    }
}

fn element(context: MlirContext, member: &Datum) -> Option<MlirAttribute> {
    if let Datum::List(parts) = member
        && let [Datum::Int(offset), Datum::Int(width), Datum::Referent(referent)] = parts.as_slice()
    {
        let site = Site {
            offset: u64::try_from(*offset).ok()?,
            width: u32::try_from(*width).ok()?,
            referent: referent.clone(),
            strategy: None,
            index: None,
        };
        return Some(site_attribute(context, &site));
    }
    encode(context, "", "", member, None).ok().flatten()
}
