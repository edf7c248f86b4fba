//! From the engine's opaque handles to MLIR's pointers and back, and small readers over the C API.
//!
//! A handle is the pointer itself. MLIR never frees types and attributes before their context; operations and
//! values live until they are erased, which is as long as the engine keeps their handles: one match.

use std::ffi::c_void;

use mlir_sys::{
    MlirAttribute, MlirOperation, MlirStringRef, MlirType, MlirValue, mlirAttributeIsAString,
    mlirOperationGetAttributeByName, mlirStringAttrGetValue,
};
use relo_engine::{Attr, Op, Type, Value};

/// The operation of a handle.
pub(crate) fn operation(op: Op) -> MlirOperation {
    MlirOperation { ptr: op.0 as *mut c_void }
}

/// The value of a handle.
pub(crate) fn value(value: Value) -> MlirValue {
    MlirValue { ptr: value.0 as *const c_void }
}

/// The type of a handle.
pub(crate) fn ty(ty: Type) -> MlirType {
    MlirType { ptr: ty.0 as *const c_void }
}

/// The attribute of a handle.
pub(crate) fn attribute(attribute: Attr) -> MlirAttribute {
    MlirAttribute { ptr: attribute.0 as *const c_void }
}

/// The handle of an operation.
pub(crate) fn op_handle(op: MlirOperation) -> Op {
    Op(op.ptr as usize)
}

/// The handle of a value.
pub(crate) fn value_handle(value: MlirValue) -> Value {
    Value(value.ptr as usize)
}

/// The handle of a type.
pub(crate) fn type_handle(ty: MlirType) -> Type {
    Type(ty.ptr as usize)
}

/// The handle of an attribute.
pub(crate) fn attr_handle(attribute: MlirAttribute) -> Attr {
    Attr(attribute.ptr as usize)
}

/// A Rust string as MLIR takes it. It must outlive the call.
pub(crate) fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// MLIR's string as a Rust one; bytes that aren't UTF-8 give the part before them.
///
/// # Safety
/// The string must be alive for `'a`.
pub(crate) unsafe fn text<'a>(string: MlirStringRef) -> &'a str {
    if string.data.is_null() {
        return "";
    }
    // SAFETY: MLIR's strings are pointer and length; the caller vouches for the lifetime.
    let bytes = unsafe { std::slice::from_raw_parts(string.data.cast::<u8>(), string.length) };
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// What a printer of the C API writes.
pub(crate) fn printed(
    print: impl FnOnce(unsafe extern "C" fn(MlirStringRef, *mut c_void), *mut c_void),
) -> String {
    unsafe extern "C" fn append(part: MlirStringRef, user: *mut c_void) {
        // SAFETY: `user` is the buffer below; the part lives during the call.
        let (buffer, part) = unsafe { (&mut *user.cast::<String>(), text(part)) };
        buffer.push_str(part);
    }
    let mut buffer = String::new();
    print(append, (&raw mut buffer).cast());
    buffer
}

/// A named attribute, inherent or discardable.
pub(crate) fn named_attribute(op: MlirOperation, name: &str) -> Option<MlirAttribute> {
    // SAFETY: the operation is alive; the name lives during the call.
    let attribute = unsafe { mlirOperationGetAttributeByName(op, string_ref(name)) };
    (!attribute.ptr.is_null()).then_some(attribute)
}

/// A named string attribute.
pub(crate) fn string_attribute(op: MlirOperation, name: &str) -> Option<String> {
    let attribute = named_attribute(op, name)?;
    // SAFETY: the attribute is alive as long as its context.
    unsafe { mlirAttributeIsAString(attribute).then(|| text(mlirStringAttrGetValue(attribute)).to_owned()) }
}
