reloc.record @r : i64 = 0 : i64 sites [#reloc.site<9223372036854775807 : 64 -> #reloc.symbol<"a">>]
