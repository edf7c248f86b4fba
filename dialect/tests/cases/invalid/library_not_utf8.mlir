reloc.slot @s : i64 -> #reloc.word<"a", "\C3">
