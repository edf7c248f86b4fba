reloc.record @r : !llvm.array<2 x i64> = dense<0> : tensor<2xi64> sites [#reloc.site<12 : 64 -> #reloc.symbol<"a">>]
