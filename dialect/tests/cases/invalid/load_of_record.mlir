reloc.record @r : i64 = 0 : i64 sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>]
llvm.func @f() -> i64 {
  %0 = reloc.load @r : i64
  llvm.return %0 : i64
}
