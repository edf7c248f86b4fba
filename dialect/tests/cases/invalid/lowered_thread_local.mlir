llvm.mlir.global external thread_local @g(0 : i64) {reloc.sites = [#reloc.site<0 : 64 -> #reloc.symbol<"a">>]} : i64
