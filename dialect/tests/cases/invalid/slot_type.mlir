reloc.slot @s : i8 -> #reloc.symbol<"a">
