reloc.slot @s : i64 -> #reloc.symbol<"a"> {index = 3 : i64}
