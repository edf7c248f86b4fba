// use: clang
// set: clang.words=^rt_
// set: clang.library=librt.so

llvm.mlir.global external @rt_true() {addr_space = 0 : i32, alignment = 8 : i64} : !llvm.ptr
llvm.mlir.global external @rt_small_typeof() {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.array<64 x ptr>
llvm.mlir.global external @other() {addr_space = 0 : i32} : !llvm.ptr
llvm.mlir.global external constant @rt_table() {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.array<2 x ptr> {
  %0 = llvm.mlir.addressof @rt_true : !llvm.ptr
  %1 = llvm.mlir.addressof @rt_small_typeof : !llvm.ptr
  %2 = llvm.getelementptr %1[56] : (!llvm.ptr) -> !llvm.ptr, i8
  %u = llvm.mlir.undef : !llvm.array<2 x ptr>
  %a = llvm.insertvalue %0, %u[0] : !llvm.array<2 x ptr>
  %b = llvm.insertvalue %2, %a[1] : !llvm.array<2 x ptr>
  llvm.return %b : !llvm.array<2 x ptr>
}
llvm.func @is_true(%v: !llvm.ptr) -> i1 {
  %p = llvm.mlir.addressof @rt_true : !llvm.ptr
  %t = llvm.load %p {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  %e = llvm.icmp "eq" %v, %t : !llvm.ptr
  llvm.return %e : i1
}
llvm.func @fourth() -> !llvm.ptr {
  %p = llvm.mlir.addressof @rt_small_typeof : !llvm.ptr
  %q = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, i8
  %t = llvm.load %q : !llvm.ptr -> !llvm.ptr
  llvm.return %t : !llvm.ptr
}
llvm.func @dynamic(%i: i64) -> !llvm.ptr {
  %p = llvm.mlir.addressof @rt_small_typeof : !llvm.ptr
  %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
  %t = llvm.load %q : !llvm.ptr -> !llvm.ptr
  llvm.return %t : !llvm.ptr
}
llvm.func @not_mine() -> !llvm.ptr {
  %p = llvm.mlir.addressof @other : !llvm.ptr
  %t = llvm.load %p : !llvm.ptr -> !llvm.ptr
  llvm.return %t : !llvm.ptr
}
