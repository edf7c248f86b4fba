// use: clang
// set: clang.words=^rt_

llvm.mlir.global external @rt_true() {alignment = 8 : i64} : i64
llvm.func @word() -> i64 {
  %p = llvm.mlir.addressof @rt_true : !llvm.ptr
  %w = llvm.load %p : !llvm.ptr -> i64
  llvm.return %w : i64
}
