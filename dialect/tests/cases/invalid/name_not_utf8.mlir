reloc.slot @s : i64 -> #reloc.object<"julia", "Symbol \FF">
