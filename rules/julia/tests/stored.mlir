// session: session.json

llvm.mlir.global internal @"jl_sym#foo#12"() {addr_space = 0 : i32} : !llvm.ptr {
  %0 = llvm.mlir.zero : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
llvm.func @store(%v: !llvm.ptr) {
  %p = llvm.mlir.addressof @"jl_sym#foo#12" : !llvm.ptr
  llvm.store %v, %p : !llvm.ptr, !llvm.ptr
  llvm.return
}
