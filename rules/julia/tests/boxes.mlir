// session: session.json

// Float64: its type's address, with two bits of the collector.
llvm.mlir.global internal constant @float_box() {addr_space = 0 : i32, alignment = 16 : i64} : !llvm.struct<(i64, array<8 x i8>)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i64, array<8 x i8>)>
  %1 = llvm.mlir.constant(139637976731651 : i64) : i64
  %2 = llvm.mlir.constant("\00\00\00\00\00\00\F8?") : !llvm.array<8 x i8>
  %3 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i64, array<8 x i8>)>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.struct<(i64, array<8 x i8>)>
  llvm.return %4 : !llvm.struct<(i64, array<8 x i8>)>
}
// A small tag is the same in every session: no site.
llvm.mlir.global internal constant @int_box() {addr_space = 0 : i32} : !llvm.struct<(i64, i64)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i64, i64)>
  %1 = llvm.mlir.constant(768 : i64) : i64
  %2 = llvm.mlir.constant(42 : i64) : i64
  %3 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i64, i64)>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.struct<(i64, i64)>
  llvm.return %4 : !llvm.struct<(i64, i64)>
}
// A payload aligned to 16 bytes: the header comes after padding.
llvm.mlir.global internal constant @vector_box() {addr_space = 0 : i32, alignment = 8 : i64} : !llvm.struct<(i64, i64, array<2 x i64>)> {
  %0 = llvm.mlir.zero : !llvm.struct<(i64, i64, array<2 x i64>)>
  %1 = llvm.mlir.constant(139637976731648 : i64) : i64
  %2 = llvm.insertvalue %1, %0[1] : !llvm.struct<(i64, i64, array<2 x i64>)>
  llvm.return %2 : !llvm.struct<(i64, i64, array<2 x i64>)>
}
llvm.func @float() -> !llvm.ptr {
  %p = llvm.mlir.addressof @float_box : !llvm.ptr
  %q = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.return %q : !llvm.ptr
}
llvm.func @int() -> !llvm.ptr {
  %p = llvm.mlir.addressof @int_box : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
llvm.func @vector() -> !llvm.ptr {
  %p = llvm.mlir.addressof @vector_box : !llvm.ptr
  llvm.return %p : !llvm.ptr
}
