//! MLIR as the engine sees it: [`MlirHost`] is the [`Host`] that rules are decided over.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::c_void;
use std::rc::Rc;

use mlir_sys::*;
use relo_engine::{Attr, Datum, Host, Location, Natives, Op, Type, Value};
use relo_referent::{Referent, SessionTable};

use crate::attributes;
use crate::context::Context;
use crate::handle::{
    attr_handle, attribute, named_attribute, op_handle, operation, printed, string_ref, text, ty,
    type_handle, value, value_handle,
};
use crate::schema::{Encoding, OdsSchema};
use crate::shim::{reloProperty, reloTopLevelSymbol};
use crate::symbols::Symbols;
use crate::trace::Log;

/// What rules may ask of the world outside the module.
pub struct Surroundings<'a> {
    /// What the front end knows about addresses and globals.
    pub session: &'a SessionTable,
    /// The width of a word in bits.
    pub word_width: u32,
    /// The word of a referent at compile time, for strategies that want it.
    pub resolve: &'a dyn Fn(&Referent) -> Option<u64>,
    /// The natives that rules call: [`crate::natives`], or a function of your own that adds to them.
    pub natives: AddNatives,
}

/// Adds the natives of a host.
pub type AddNatives = for<'h> fn(&mut Natives<MlirHost<'h>>);

/// A module while rules run over it.
pub struct MlirHost<'a> {
    pub(crate) context: &'a Context,
    pub(crate) module: MlirModule,
    pub(crate) surroundings: &'a Surroundings<'a>,
    /// Shared with the driver, who tells it of every change.
    pub(crate) symbols: Rc<RefCell<Symbols>>,
    /// Referents that a rule wanted resolved, and nothing could.
    pub(crate) unresolved: BTreeSet<Referent>,
    /// Symbols of the input that have the name of something that a rule makes, and what that is.
    pub(crate) taken: BTreeMap<String, String>,
    /// While a rule builds: its rewriter, and the root that is replaced.
    pub(crate) building: Option<(MlirRewriterBase, Op)>,
    /// What the interpreter rewrites with.
    pub(crate) rewriter: Option<MlirRewriterBase>,
    /// What was inserted and not asked for yet; the driver's watch tells.
    pub(crate) inserted: Rc<RefCell<Vec<Op>>>,
    /// What a tracer wants to know.
    pub(crate) log: Rc<RefCell<Log>>,
    schema: OdsSchema,
    types: HashMap<String, Option<Type>>,
    /// What attributes stand for; they are unique and live as long as the context.
    decoded: RefCell<HashMap<Attr, Datum>>,
}

impl<'a> MlirHost<'a> {
    /// The host of a module.
    pub(crate) fn new(context: &'a Context, module: MlirModule, surroundings: &'a Surroundings<'a>) -> Self {
        Self {
            context,
            module,
            surroundings,
            symbols: Rc::new(RefCell::new(Symbols::new(module))),
            unresolved: BTreeSet::new(),
            taken: BTreeMap::new(),
            building: None,
            rewriter: None,
            inserted: Rc::default(),
            log: Rc::default(),
            schema: OdsSchema,
            types: HashMap::new(),
            decoded: RefCell::new(HashMap::new()),
        }
    }

    /// The context, raw.
    pub(crate) fn raw_context(&self) -> MlirContext {
        self.context.melior().to_raw()
    }

    /// The integer type of a word.
    pub(crate) fn word_type(&self) -> MlirType {
        // SAFETY: the context is alive.
        unsafe { mlirIntegerTypeGet(self.raw_context(), self.surroundings.word_width) }
    }

    fn decode_new(&self, attribute: MlirAttribute) -> Datum {
        // SAFETY: the attribute is alive, and each reader is called for the kind it is for.
        unsafe {
            if mlirAttributeIsABool(attribute) {
                Datum::Bool(mlirBoolAttrGetValue(attribute))
            } else if mlirAttributeIsAInteger(attribute) {
                let ty = mlirAttributeGetType(attribute);
                if mlirTypeIsAInteger(ty) && mlirIntegerTypeGetWidth(ty) > 64 {
                    return Datum::Attr(attr_handle(attribute));
                }
                Datum::Int(i128::from(if mlirTypeIsAInteger(ty) && mlirIntegerTypeIsUnsigned(ty) {
                    mlirIntegerAttrGetValueUInt(attribute).cast_signed()
                } else if mlirTypeIsAInteger(ty) && mlirIntegerTypeIsSigned(ty) {
                    mlirIntegerAttrGetValueSInt(attribute)
                } else {
                    mlirIntegerAttrGetValueInt(attribute)
                }))
            } else if mlirAttributeIsAUnit(attribute) {
                Datum::Bool(true)
            } else if mlirAttributeIsAString(attribute) {
                Datum::Str(text(mlirStringAttrGetValue(attribute)).to_owned())
            } else if mlirAttributeIsAFlatSymbolRef(attribute) {
                Datum::Symbol(text(mlirFlatSymbolRefAttrGetValue(attribute)).to_owned())
            } else if mlirAttributeIsAType(attribute) {
                Datum::Type(type_handle(mlirTypeAttrGetValue(attribute)))
            } else if mlirAttributeIsAArray(attribute) {
                let members = 0..mlirArrayAttrGetNumElements(attribute);
                Datum::List(
                    members
                        .map(|i| self.decode(attr_handle(mlirArrayAttrGetElement(attribute, i))))
                        .collect(),
                )
            } else if mlirAttributeIsADictionary(attribute) {
                let members = 0..mlirDictionaryAttrGetNumElements(attribute);
                Datum::Dictionary(
                    members.map(|i| named(mlirDictionaryAttrGetElement(attribute, i))).collect(),
                )
            } else if mlirAttributeIsADenseI32Array(attribute) {
                let members = 0..mlirDenseArrayGetNumElements(attribute);
                Datum::List(
                    members.map(|i| Datum::Int(mlirDenseI32ArrayGetElement(attribute, i).into())).collect(),
                )
            } else if mlirAttributeIsADenseI64Array(attribute) {
                let members = 0..mlirDenseArrayGetNumElements(attribute);
                Datum::List(
                    members.map(|i| Datum::Int(mlirDenseI64ArrayGetElement(attribute, i).into())).collect(),
                )
            } else if mlirAttributeIsADenseIntElements(attribute) {
                self.decode_elements(attribute)
            } else if let Some(referent) = attributes::referent_of(attribute) {
                Datum::Referent(referent)
            } else if let Some(site) = attributes::site_of(attribute) {
                Datum::List(vec![
                    Datum::Int(site.offset.into()),
                    Datum::Int(site.width.into()),
                    Datum::Referent(site.referent),
                ])
            } else {
                match enumerator(&attribute_text(attribute)) {
                    Some(name) => Datum::Str(name),
                    None => Datum::Attr(attr_handle(attribute)),
                }
            }
        }
    }

    /// # Safety
    /// The attribute is alive and holds integers.
    unsafe fn decode_elements(&self, attribute: MlirAttribute) -> Datum {
        // SAFETY: as the caller says; the width decides the reader.
        unsafe {
            let ty = mlirShapedTypeGetElementType(mlirAttributeGetType(attribute));
            let width = if mlirTypeIsAInteger(ty) { mlirIntegerTypeGetWidth(ty) } else { 64 };
            let members = 0..mlirElementsAttrGetNumElements(attribute);
            let element = |index: i64| match width {
                1 => Some(i64::from(mlirDenseElementsAttrGetBoolValue(attribute, index as isize))),
                8 => Some(i64::from(mlirDenseElementsAttrGetInt8Value(attribute, index as isize))),
                16 => Some(i64::from(mlirDenseElementsAttrGetInt16Value(attribute, index as isize))),
                32 => Some(i64::from(mlirDenseElementsAttrGetInt32Value(attribute, index as isize))),
                64 => Some(mlirDenseElementsAttrGetInt64Value(attribute, index as isize)),
                _ => None,
            };
            let values: Option<Vec<Datum>> =
                members.map(|index| Some(Datum::Int(element(index)?.into()))).collect();
            values.map_or(Datum::Attr(attr_handle(attribute)), Datum::List)
        }
    }
}

/// # Safety
/// The attribute's name is alive.
unsafe fn named(attribute: MlirNamedAttribute) -> (String, Attr) {
    // SAFETY: identifiers live as long as the context.
    let name = unsafe { text(mlirIdentifierStr(attribute.name)) };
    (name.to_owned(), attr_handle(attribute.attribute))
}

/// The operation's name, which lives as long as the context.
fn name_of<'a>(op: MlirOperation) -> &'a str {
    // SAFETY: the operation is alive, its name as long as the context.
    unsafe { text(mlirIdentifierStr(mlirOperationGetName(op))) }
}

/// What MLIR keeps beside the attributes, as one.
fn property(op: MlirOperation, name: &str) -> Option<MlirAttribute> {
    if !OdsSchema.is_property(name_of(op), name) {
        return None;
    }
    // SAFETY: the operation is alive; the name lives during the call.
    let found = unsafe { reloProperty(op, string_ref(name)) };
    (!found.ptr.is_null()).then_some(found)
}

/// An attribute as MLIR prints it.
pub(crate) fn attribute_text(attribute: MlirAttribute) -> String {
    // SAFETY: the attribute is alive; the printer calls back before it returns.
    printed(|append, user| unsafe { mlirAttributePrint(attribute, Some(append), user) })
}

/// A type as MLIR prints it.
pub(crate) fn type_text(ty: MlirType) -> String {
    // SAFETY: the type is alive; the printer calls back before it returns.
    printed(|append, user| unsafe { mlirTypePrint(ty, Some(append), user) })
}

/// `weak_odr` of `#llvm.linkage<weak_odr>`.
fn enumerator(text: &str) -> Option<String> {
    let (_, inner) = text.strip_prefix('#')?.split_once('<')?;
    let name = inner.strip_suffix('>')?;
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')).then(|| name.to_owned())
}

impl Host for MlirHost<'_> {
    fn operation_name(&self, op: Op) -> String {
        name_of(operation(op)).to_owned()
    }

    fn operands(&self, op: Op) -> Vec<Value> {
        let op = operation(op);
        // SAFETY: the operation is alive, and the indices are in range.
        unsafe {
            (0..mlirOperationGetNumOperands(op))
                .map(|i| value_handle(mlirOperationGetOperand(op, i)))
                .collect()
        }
    }

    fn results(&self, op: Op) -> Vec<Value> {
        let op = operation(op);
        // SAFETY: the operation is alive, and the indices are in range.
        unsafe {
            (0..mlirOperationGetNumResults(op)).map(|i| value_handle(mlirOperationGetResult(op, i))).collect()
        }
    }

    fn attribute(&self, op: Op, name: &str) -> Option<Attr> {
        let op = operation(op);
        named_attribute(op, name).or_else(|| property(op, name)).map(attr_handle)
    }

    fn field(&self, op: Op, name: &str) -> Option<Datum> {
        let found = self.attribute(op, name)?;
        let datum = self.decode(found);
        if !matches!(datum, Datum::Int(_) | Datum::Attr(_)) {
            return Some(datum);
        }
        match (datum, self.schema.encoding(name_of(operation(op)), name)) {
            (Datum::Int(number), Some(Encoding::Integer { cases, .. })) => {
                let case = cases.iter().find(|(_, value)| i128::from(*value) == number);
                case.map(|(name, _)| Datum::Str((*name).to_owned()))
            }
            // What has a name of several words: `#llvm.fastmath<nnan, ninf>`, `#nvvm<shfl_kind bfly>`.
            (Datum::Attr(of), Some(encoding)) => {
                let case = encoding.decode(&attribute_text(attribute(of)));
                Some(case.map_or(Datum::Attr(of), |name| Datum::Str(name.to_owned())))
            }
            (datum, _) => Some(datum),
        }
    }

    fn attributes(&self, op: Op) -> Vec<(String, Attr)> {
        let op = operation(op);
        // SAFETY: the operation is alive, and the indices are in range.
        let mut all: Vec<(String, Attr)> = unsafe {
            (0..mlirOperationGetNumAttributes(op)).map(|i| named(mlirOperationGetAttribute(op, i))).collect()
        };
        let properties = OdsSchema.properties(name_of(op));
        all.extend(properties.filter_map(|name| Some((name.to_owned(), attr_handle(property(op, name)?)))));
        all
    }

    fn type_of(&self, of: Value) -> Type {
        // SAFETY: the value is alive.
        unsafe { type_handle(mlirValueGetType(value(of))) }
    }

    fn definition(&self, of: Value) -> Option<Op> {
        // SAFETY: the value is alive.
        unsafe { mlirValueIsAOpResult(value(of)).then(|| op_handle(mlirOpResultGetOwner(value(of)))) }
    }

    fn decode(&self, of: Attr) -> Datum {
        if let Some(datum) = self.decoded.borrow().get(&of) {
            return datum.clone();
        }
        let datum = self.decode_new(attribute(of));
        self.decoded.borrow_mut().insert(of, datum.clone());
        datum
    }

    fn parse_type(&mut self, text: &str) -> Option<Type> {
        if let Some(ty) = self.types.get(text) {
            return *ty;
        }
        let context = self.raw_context();
        // SAFETY: the context and the text are alive; a type that does not parse is null, its diagnostic caught.
        let (parsed, _) = self.context.catching(|| unsafe { mlirTypeParseGet(context, string_ref(text)) });
        let parsed = (!parsed.ptr.is_null()).then(|| type_handle(parsed));
        self.types.insert(text.to_owned(), parsed);
        parsed
    }

    fn location(&self, op: Op) -> Location {
        place(self.module, operation(op))
    }

    fn text(&self, datum: &Datum) -> String {
        match datum {
            Datum::Value(of) => {
                // SAFETY: the value is alive; the printer calls back before it returns.
                printed(|append, user| unsafe { mlirValuePrint(value(*of), Some(append), user) })
            }
            Datum::Symbol(name) => format!("@{name}"),
            Datum::Type(of) => type_text(ty(*of)),
            Datum::Attr(of) => match self.decode(*of) {
                Datum::Attr(of) => attribute_text(attribute(of)),
                datum => self.text(&datum),
            },
            Datum::Int(number) => number.to_string(),
            Datum::Str(text) => text.clone(),
            Datum::Bool(value) => value.to_string(),
            Datum::Referent(referent) => format!("#reloc.{referent}"),
            Datum::List(members) => {
                let members: Vec<String> = members.iter().map(|member| self.text(member)).collect();
                format!("[{}]", members.join(", "))
            }
            Datum::Dictionary(members) => {
                let members: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }
}

/// Where an operation of a module comes from.
pub(crate) fn place(module: MlirModule, op: MlirOperation) -> Location {
    // SAFETY: both are alive; name and location live as long as the context.
    unsafe {
        let symbol = text(reloTopLevelSymbol(module, op));
        let symbol = (!symbol.is_empty()).then(|| symbol.to_owned());
        let mut location = Location { symbol, ..Location::default() };
        file_location(mlirOperationGetLocation(op), &mut location);
        location
    }
}

/// The first place in a file that a location has.
///
/// # Safety
/// The location is alive.
unsafe fn file_location(of: MlirLocation, into: &mut Location) -> bool {
    // SAFETY: as the caller says; children of a location live as long as the context.
    unsafe {
        if mlirLocationIsAFileLineColRange(of) {
            let file = text(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(of)));
            let line = mlirLocationFileLineColRangeGetStartLine(of);
            if line > 0 {
                into.file = Some(file.to_owned());
                into.line = u32::try_from(line).unwrap_or(0);
                into.column = u32::try_from(mlirLocationFileLineColRangeGetStartColumn(of)).unwrap_or(0);
                return true;
            }
            false
        } else if mlirLocationIsAName(of) {
            file_location(mlirLocationNameGetChildLoc(of), into)
        } else if mlirLocationIsACallSite(of) {
            file_location(mlirLocationCallSiteGetCallee(of), into)
        } else if mlirLocationIsAFused(of) {
            let mut parts = vec![
                MlirLocation { ptr: std::ptr::null::<c_void>() };
                mlirLocationFusedGetNumLocations(of) as usize
            ];
            mlirLocationFusedGetLocations(of, parts.as_mut_ptr());
            parts.into_iter().any(|part| file_location(part, into))
        } else {
            false
        }
    }
}
