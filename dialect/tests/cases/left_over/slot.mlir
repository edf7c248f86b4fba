reloc.slot @s : i64 -> #reloc.symbol<"a">
