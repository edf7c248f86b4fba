reloc.record @r : i64 sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.constant(1 : i32) : i32
  llvm.return %0 : i32
}
