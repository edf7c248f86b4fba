llvm.mlir.global external @g() {reloc.sites = [#reloc.site<8 : 64 -> #reloc.symbol<"a">>]} : !llvm.array<2 x i64>
