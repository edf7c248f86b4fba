reloc.record @r : !llvm.array<2 x i64> = dense<0> : tensor<2xi64> sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>, #reloc.site<4 : 64 -> #reloc.symbol<"b">>]
