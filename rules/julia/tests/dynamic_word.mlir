// session: session.json

llvm.mlir.global external @jl_small_typeof() {addr_space = 0 : i32} : !llvm.array<64 x ptr>

llvm.func @type_of_tag(%tag: i64) -> !llvm.ptr {
  %p = llvm.mlir.addressof @jl_small_typeof : !llvm.ptr
  %q = llvm.getelementptr %p[%tag] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %t = llvm.load %q : !llvm.ptr -> !llvm.ptr
  llvm.return %t : !llvm.ptr
}
