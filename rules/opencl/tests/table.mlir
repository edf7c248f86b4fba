// target: opencl
// strategy: table
// use: clang
// set: clang.words=^rt_

llvm.mlir.global external @rt_true() {addr_space = 1 : i32, alignment = 8 : i64} : i64
llvm.mlir.global external @rt_table() {addr_space = 1 : i32, alignment = 8 : i64} : !llvm.array<16 x i64>
llvm.func spir_kernelcc @words(%out: !llvm.ptr<1>) {
  %a = llvm.mlir.addressof @rt_true : !llvm.ptr<1>
  %t = llvm.load %a : !llvm.ptr<1> -> i64
  %b = llvm.mlir.addressof @rt_table : !llvm.ptr<1>
  %p = llvm.getelementptr %b[24] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  %w = llvm.load %p : !llvm.ptr<1> -> i64
  %s = llvm.add %t, %w : i64
  llvm.store %s, %out : i64, !llvm.ptr<1>
  llvm.return
}
llvm.func spir_kernelcc @plain(%out: !llvm.ptr<1>, %v: i64) {
  llvm.store %v, %out : i64, !llvm.ptr<1>
  llvm.return
}
