// target: vulkan
// use: clang
// set: clang.words=^rt_

llvm.mlir.global external @rt_true() {addr_space = 0 : i32, alignment = 8 : i64} : i64
llvm.func @follow() -> i64 {
  %a = llvm.mlir.addressof @rt_true : !llvm.ptr
  %t = llvm.load %a : !llvm.ptr -> i64
  %p = llvm.inttoptr %t : i64 to !llvm.ptr
  %w = llvm.load %p : !llvm.ptr -> i64
  llvm.return %w : i64
}
