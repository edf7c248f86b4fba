reloc.record @r : !llvm.array<2 x target<"spirv.Image">> sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>] init {
  %0 = llvm.mlir.zero : !llvm.array<2 x target<"spirv.Image">>
  llvm.return %0 : !llvm.array<2 x target<"spirv.Image">>
}
