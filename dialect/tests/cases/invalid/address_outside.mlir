reloc.record @r : i64 = 0 : i64 sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">>]
llvm.func @f() -> !llvm.ptr {
  %0 = reloc.address @r + 16 : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
