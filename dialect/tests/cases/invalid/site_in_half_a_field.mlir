reloc.record @r : !llvm.struct<(i64, i64)> sites [#reloc.site<12 : 32 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<(i64, i64)>
  llvm.return %0 : !llvm.struct<(i64, i64)>
}
