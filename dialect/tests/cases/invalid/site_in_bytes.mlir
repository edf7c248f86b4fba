reloc.record @r : !llvm.array<16 x i8> sites [#reloc.site<8 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.array<16 x i8>
  llvm.return %0 : !llvm.array<16 x i8>
}
