// Two records whose initialisers have equal constants and something to fold.
reloc.record @first : !llvm.struct<(i64, i64)> sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.undef : !llvm.struct<(i64, i64)>
  %1 = llvm.mlir.constant(1 : i64) : i64
  %2 = llvm.mlir.constant(1 : i64) : i64
  %3 = llvm.insertvalue %1, %0[0] : !llvm.struct<(i64, i64)>
  %4 = llvm.insertvalue %2, %3[1] : !llvm.struct<(i64, i64)>
  llvm.return %4 : !llvm.struct<(i64, i64)>
}
reloc.record @second : i64 sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.constant(1 : i64) : i64
  llvm.return %0 : i64
}
