// session: session.json

llvm.mlir.global external constant @jl_true() {addr_space = 0 : i32} : !llvm.ptr

llvm.func @half() -> i32 {
  %p = llvm.mlir.addressof @jl_true : !llvm.ptr
  %t = llvm.load %p : !llvm.ptr -> i32
  llvm.return %t : i32
}
