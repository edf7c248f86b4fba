%0 = llvm.mlir.constant(1 : i64) : i64
reloc.record @r : i64 sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  llvm.return %0 : i64
}
