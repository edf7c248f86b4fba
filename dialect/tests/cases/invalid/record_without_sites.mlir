reloc.record @r : i64 = 0 : i64 sites []
