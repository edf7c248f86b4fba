reloc.slot @s : i64 -> #reloc.symbol<"a\00b">
