reloc.record @r : !llvm.struct<(i32, i32, i64)> sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<(i32, i32, i64)>
  llvm.return %0 : !llvm.struct<(i32, i32, i64)>
}
