reloc.slot @s : i64 -> "cos"
