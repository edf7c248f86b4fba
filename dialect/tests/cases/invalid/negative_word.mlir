reloc.slot @s : i64 -> #reloc.word<"a" - 8>
