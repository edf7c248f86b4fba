// session: session.json

llvm.mlir.global internal @word(139637976731648 : i64) {addr_space = 0 : i32} : i64
llvm.mlir.global internal @near(139637976731649 : i64) {addr_space = 0 : i32} : i64
llvm.mlir.global internal constant @dense(dense<[1, 139637976731656, 3]> : tensor<3xi64>) {addr_space = 0 : i32} : !llvm.array<3 x i64>
llvm.mlir.global internal @packed() {addr_space = 0 : i32} : !llvm.struct<packed (i8, struct<(i32, ptr)>)> {
  %c = llvm.mlir.constant(139637976731648 : i64) : i64
  %p = llvm.inttoptr %c : i64 to !llvm.ptr
  %b = llvm.mlir.constant(1 : i8) : i8
  %u = llvm.mlir.undef : !llvm.struct<packed (i8, struct<(i32, ptr)>)>
  %0 = llvm.insertvalue %b, %u[0] : !llvm.struct<packed (i8, struct<(i32, ptr)>)>
  %1 = llvm.insertvalue %p, %0[1, 1] : !llvm.struct<packed (i8, struct<(i32, ptr)>)>
  llvm.return %1 : !llvm.struct<packed (i8, struct<(i32, ptr)>)>
}
