reloc.record @r : !llvm.struct<packed (i64, i64)> sites [#reloc.site<4 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<packed (i64, i64)>
  llvm.return %0 : !llvm.struct<packed (i64, i64)>
}
