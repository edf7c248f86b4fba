reloc.record @r : !llvm.struct<"later", opaque> sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<"later", opaque>
  llvm.return %0 : !llvm.struct<"later", opaque>
}
