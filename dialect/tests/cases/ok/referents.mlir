reloc.slot @object : i64 -> #reloc.object<"julia", "Symbol \"foo\" é">
reloc.slot private @inside : i64 -> #reloc.object<"julia", "const:Main.LOOKUP" + 16>
reloc.slot @before : !llvm.ptr -> #reloc.object<"julia", "const:Main.LOOKUP" - 8>
reloc.slot @anywhere : i64 -> #reloc.symbol<"cos">
reloc.slot @named : !llvm.ptr<1> -> #reloc.symbol<"cos" + 4, "libm.so.6">
reloc.slot @word : i64 -> #reloc.word<"jl_small_typeof" + 32, "libjulia"> {strategy = "patch", index = 3 : i64}
reloc.slot @narrow : i32 -> #reloc.word<"rt_flags">
reloc.slot @"a symbol" : i64 -> #reloc.symbol<"tab\tline\nend\1B\\" - 9223372036854775808>
