reloc.record @r : i64 = 0 : i64 sites [#reloc.site<-8 : 64 -> #reloc.symbol<"a">>]
