llvm.mlir.global external @g() : i64
llvm.func @f() -> !llvm.ptr {
  %0 = reloc.address @g : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
