// report: numba/numba/issues/10098: the same pointer is an error when it is captured, and a warning when it is a global
// right: one slot, whichever way the address came
// relo: -t x86_64-linux --strategy defer --emit llvm -O0
// session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "callback", "library": "libuser.so"}}}
llvm.mlir.global linkonce local_unnamed_addr @numba.dynamic.globals.7f0000001000(139637976731648 : i64) : i64
llvm.func @captured(%x: i64) -> i64 {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  %f = llvm.inttoptr %a : i64 to !llvm.ptr
  %r = llvm.call %f(%x) : !llvm.ptr, (i64) -> i64
  llvm.return %r : i64
}
llvm.func @global(%x: i64) -> i64 {
  %p = llvm.mlir.addressof @numba.dynamic.globals.7f0000001000 : !llvm.ptr
  %f = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %r = llvm.call %f(%x) : !llvm.ptr, (i64) -> i64
  llvm.return %r : i64
}
