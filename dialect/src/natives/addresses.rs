//! Constants and addresses, followed through casts and constant offsets.

use std::ffi::c_uint;

use mlir_sys::{
    MlirStringRef, MlirValue, mlirModuleGetOperation, mlirOpResultGetOwner, mlirOperationGetNumOperands,
    mlirOperationGetOperand, mlirValueIsAOpResult,
};
use relo_engine::{Datum, Kind, Native, Natives};

use super::sites::{Word, words};
use super::symbols::operation_name;
use super::{name_of, one};
use crate::handle::{named_attribute, text, value};
use crate::host::MlirHost;
use crate::shim::{WORD_SYMBOL, reloConstantAddress};

pub(super) fn add<'a>(natives: &mut Natives<MlirHost<'a>>) {
    natives.add(Native::pure(
        "constant_address",
        &[("pointer", Kind::Value)],
        &[Kind::Symbol, Kind::Int],
        "The symbol that a pointer is an address in, and the byte offset from it, through casts and constant \
         address arithmetic. No answer where either is not known.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::Value(pointer) = arguments[0] else { return None };
            match constant(host, value(pointer))? {
                Constant::Address(symbol, offset) => {
                    Some(vec![Datum::Symbol(symbol), Datum::Int(offset.into())])
                }
                Constant::Number(_) => None,
            }
        },
    )
    .implies(&["base"]));
    natives.add(Native::pure(
        "constant_word",
        &[("value", Kind::Value)],
        &[Kind::Int],
        "The number that a value is, through casts and constant arithmetic.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::Value(of) = arguments[0] else { return None };
            match constant(host, value(of))? {
                Constant::Number(number) => one(Datum::Int(number.into())),
                Constant::Address(..) => None,
            }
        },
    ));
    natives.add(Native::pure(
        "base",
        &[("pointer", Kind::Value)],
        &[Kind::Symbol],
        "The symbol that a pointer is based on, through casts and address arithmetic, constant or not.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let Datum::Value(pointer) = arguments[0] else { return None };
            one(Datum::Symbol(base(host, value(pointer))?))
        },
    ));
    natives.add(Native::pure(
        "initial_address",
        &[("symbol", Kind::Symbol)],
        &[Kind::Int],
        "The number that a global starts out with, where it is a single word.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            match words(op).as_slice() {
                [word] if word.offset == 0 && word.symbol.is_none() && word.is_whole => {
                    one(Datum::Int(word.value.into()))
                }
                _ => None,
            }
        },
    ));
    natives.add(Native::pure(
        "initial_word",
        &[("symbol", Kind::Symbol), ("offset", Kind::Int)],
        &[Kind::Int],
        "The number that a global starts out with at a byte offset, where a whole word is there.",
        |host: &mut MlirHost<'a>, arguments: &[Datum]| {
            let op = host.symbols.borrow().get(name_of(&arguments[0])?)?;
            let Datum::Int(offset) = arguments[1] else { return None };
            let width = u64::from(host.surroundings.word_width);
            let at = |word: &&Word| i128::from(word.offset) == offset && word.width == width;
            let words = words(op);
            let word = words.iter().find(at).filter(|word| word.symbol.is_none())?;
            one(Datum::Int(word.value.into()))
        },
    ));
    natives.add(
        Native::pure(
            "aligned_down",
            &[("number", Kind::Int), ("alignment", Kind::Int)],
            &[Kind::Int],
            "The largest multiple of an alignment that is not above a number; the number itself where the alignment is 0.",
            |_: &mut MlirHost<'a>, arguments: &[Datum]| {
                let [Datum::Int(number), Datum::Int(alignment)] = arguments else { return None };
                let above = number.checked_rem_euclid(*alignment).unwrap_or(0);
                one(Datum::Int(number.saturating_sub(above)))
            },
        )
        .total(),
    );
}

enum Constant {
    Number(u64),
    Address(String, i64),
}

fn constant(host: &MlirHost<'_>, of: MlirValue) -> Option<Constant> {
    let (mut kind, mut number) = (0 as c_uint, 0u64);
    let mut symbol = MlirStringRef { data: std::ptr::null(), length: 0 };
    // SAFETY: the value and the module are alive; the symbol's text lives as long as the context.
    unsafe {
        let module = mlirModuleGetOperation(host.module);
        reloConstantAddress(of, module, &raw mut kind, &raw mut number, &raw mut symbol).then(|| {
            if kind == WORD_SYMBOL {
                Constant::Address(text(symbol).to_owned(), number.cast_signed())
            } else {
                Constant::Number(number)
            }
        })
    }
}

fn base(host: &MlirHost<'_>, mut of: MlirValue) -> Option<String> {
    loop {
        // SAFETY: the value is alive, and so is its definition with its operands.
        unsafe {
            if !mlirValueIsAOpResult(of) {
                return None;
            }
            let op = mlirOpResultGetOwner(of);
            match operation_name(op) {
                "llvm.mlir.addressof" => {
                    let name = named_attribute(op, "global_name")?;
                    return Some(text(mlir_sys::mlirFlatSymbolRefAttrGetValue(name)).to_owned());
                }
                "llvm.getelementptr" | "llvm.bitcast" | "llvm.addrspacecast"
                    if mlirOperationGetNumOperands(op) > 0 =>
                {
                    of = mlirOperationGetOperand(op, 0);
                }
                // A number may be an address, too.
                _ => match constant(host, of)? {
                    Constant::Address(symbol, _) => return Some(symbol),
                    Constant::Number(_) => return None,
                },
            }
        }
    }
}
