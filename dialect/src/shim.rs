//! The C++ of this crate, as C: what MLIR's C API lacks for walking, initialisers and locations.

use std::ffi::{c_uint, c_void};

use mlir_sys::{
    MlirAttribute, MlirContext, MlirFrozenRewritePatternSet, MlirLocation, MlirModule, MlirOperation,
    MlirRewriterBase, MlirStringRef, MlirType, MlirValue,
};

/// What the driver tells its caller; see `Driver.cpp`.
#[repr(C)]
pub(crate) struct DriverCallbacks {
    pub(crate) user: *mut c_void,
    pub(crate) inserted: unsafe extern "C" fn(*mut c_void, MlirOperation),
    pub(crate) modified: unsafe extern "C" fn(*mut c_void, MlirOperation),
    pub(crate) erased: unsafe extern "C" fn(*mut c_void, MlirOperation),
    pub(crate) stop: unsafe extern "C" fn(*mut c_void) -> bool,
}

/// How a run of the driver ended: `ReloDriverResult`.
pub(crate) const DRIVER_EXHAUSTED: c_uint = 2;

/// `ReloWordSymbol`: the word is a symbol's address, not an integer.
pub(crate) const WORD_SYMBOL: c_uint = 1;

/// `ReloWordCallback`: offset, width in bits, kind, value, symbol.
pub(crate) type WordCallback = unsafe extern "C" fn(*mut c_void, u64, u64, c_uint, u64, MlirStringRef);

unsafe extern "C" {
    pub(crate) fn reloDriverRun(
        module: MlirModule,
        sets: *const MlirFrozenRewritePatternSet,
        count: usize,
        callbacks: DriverCallbacks,
        max_rounds: c_uint,
    ) -> c_uint;
    pub(crate) fn reloTopLevelSymbol(module: MlirModule, op: MlirOperation) -> MlirStringRef;
    pub(crate) fn reloSettleInitializers(
        module: MlirModule,
        user: *mut c_void,
        shorter: unsafe extern "C" fn(*mut c_void, MlirStringRef),
    );
    pub(crate) fn reloSymbolUses(
        op: MlirOperation,
        user: *mut c_void,
        each: unsafe extern "C" fn(*mut c_void, MlirStringRef),
    );
    pub(crate) fn reloProperty(op: MlirOperation, name: MlirStringRef) -> MlirAttribute;
    pub(crate) fn reloSettleProperties(op: MlirOperation);
    pub(crate) fn reloSetRuleLocation(op: MlirOperation, rule: MlirStringRef, root: MlirLocation);
    pub(crate) fn reloRewriterCreate(context: MlirContext, callbacks: DriverCallbacks) -> MlirRewriterBase;
    pub(crate) fn reloRewriterDestroy(rewriter: MlirRewriterBase);
    pub(crate) fn reloIsDead(op: MlirOperation) -> bool;
    pub(crate) fn reloBody(
        op: MlirOperation,
        user: *mut c_void,
        each: unsafe extern "C" fn(*mut c_void, MlirOperation),
    );
    pub(crate) fn reloContentsWords(
        op: MlirOperation,
        ty: MlirType,
        user: *mut c_void,
        callback: WordCallback,
    );
    pub(crate) fn reloContentsFill(
        op: MlirOperation,
        ty: MlirType,
        offsets: *const u64,
        words: *const u64,
        count: usize,
    ) -> usize;
    pub(crate) fn reloConstantAddress(
        value: MlirValue,
        module: MlirOperation,
        kind: *mut c_uint,
        number: *mut u64,
        symbol: *mut MlirStringRef,
    ) -> bool;
}
