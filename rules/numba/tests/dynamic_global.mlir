// session: session.json

llvm.mlir.global linkonce local_unnamed_addr @numba.dynamic.globals.7f0000001000() {addr_space = 0 : i32} : !llvm.ptr {
  %0 = llvm.mlir.constant(139637976731648 : i64) : i64
  %1 = llvm.inttoptr %0 : i64 to !llvm.ptr
  llvm.return %1 : !llvm.ptr
}
llvm.func @calls_cos(%x: f64) -> f64 {
  %p = llvm.mlir.addressof @numba.dynamic.globals.7f0000001000 : !llvm.ptr
  %f = llvm.load %p {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  %y = llvm.call %f(%x) : !llvm.ptr, (f64) -> f64
  llvm.return %y : f64
}
