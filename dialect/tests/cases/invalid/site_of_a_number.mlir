reloc.record @r : !llvm.struct<(f64, i64)> sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<(f64, i64)>
  llvm.return %0 : !llvm.struct<(f64, i64)>
}
