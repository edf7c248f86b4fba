llvm.mlir.global external @g() {reloc.sites = [#reloc.site<8 : 64 -> #reloc.symbol<"a">>]} : i64
