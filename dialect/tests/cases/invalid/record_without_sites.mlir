reloc.record @r : i64 sites []
