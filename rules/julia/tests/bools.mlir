// target: cuda

// Both words, one of them twice; what comes out has one box each.
llvm.mlir.global external @jl_true() {addr_space = 0 : i32} : !llvm.ptr
llvm.mlir.global external @jl_false() {addr_space = 0 : i32} : !llvm.ptr
llvm.func @negated(%p: !llvm.ptr) -> !llvm.ptr {
  %a = llvm.mlir.addressof @jl_true : !llvm.ptr
  %t = llvm.load %a : !llvm.ptr -> !llvm.ptr
  %b = llvm.mlir.addressof @jl_false : !llvm.ptr
  %f = llvm.load %b : !llvm.ptr -> !llvm.ptr
  %e = llvm.icmp "eq" %p, %t : !llvm.ptr
  %n = llvm.select %e, %f, %t : i1, !llvm.ptr
  llvm.return %n : !llvm.ptr
}
llvm.func @truth() -> i64 {
  %a = llvm.mlir.addressof @jl_true : !llvm.ptr
  %t = llvm.load %a : !llvm.ptr -> i64
  llvm.return %t : i64
}
