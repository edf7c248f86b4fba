reloc.record @r : i64 = 0 : i64 sites [#reloc.site<0 : 16 -> #reloc.symbol<"a">>]
