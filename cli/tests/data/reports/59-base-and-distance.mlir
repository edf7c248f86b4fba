// report: pulseengine/meld/pull/346: an address and a distance lose the distance
// right: it is kept, in code and in data
// relo: -t x86_64-linux --use clang --set clang.words=^rt_ --emit llvm -O0
llvm.mlir.global external @rt_table() : !llvm.array<4 x i64>
llvm.mlir.global external constant @third() {alignment = 8 : i64} : !llvm.ptr {
  %0 = llvm.mlir.addressof @rt_table : !llvm.ptr
  %1 = llvm.getelementptr %0[24] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.return %1 : !llvm.ptr
}
llvm.func @second() -> !llvm.ptr {
  %0 = llvm.mlir.addressof @rt_table : !llvm.ptr
  %1 = llvm.getelementptr %0[16] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.return %1 : !llvm.ptr
}
