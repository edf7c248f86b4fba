// target: vulkan
// use: clang
// set: clang.words=^rt_

llvm.mlir.global external @rt_true() {addr_space = 0 : i32, alignment = 8 : i64} : i64
llvm.func @compare(%v: i64) -> i1 {
  %a = llvm.mlir.addressof @rt_true : !llvm.ptr
  %t = llvm.load %a : !llvm.ptr -> i64
  %e = llvm.icmp "eq" %v, %t : i64
  llvm.return %e : i1
}
