// session: session.json
// strategy: bake

llvm.mlir.global internal constant @table() {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.array<3 x i64> {
  %0 = llvm.mlir.constant(139637976731648 : i64) : i64
  %1 = llvm.mlir.constant(7 : i64) : i64
  %2 = llvm.mlir.constant(139637976731656 : i64) : i64
  %u = llvm.mlir.undef : !llvm.array<3 x i64>
  %a = llvm.insertvalue %0, %u[0] : !llvm.array<3 x i64>
  %b = llvm.insertvalue %1, %a[1] : !llvm.array<3 x i64>
  %c = llvm.insertvalue %2, %b[2] : !llvm.array<3 x i64>
  llvm.return %c : !llvm.array<3 x i64>
}
llvm.mlir.global internal @pointer() : !llvm.ptr {
  %p = llvm.mlir.addressof @table : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
llvm.func @pick() -> !llvm.ptr {
  %p = llvm.mlir.addressof @table : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
