reloc.slot @s : i64 -> #reloc.symbol<"a">
reloc.slot @s : i64 -> #reloc.symbol<"a">
