reloc.slot @s : i64 -> #reloc.symbol<"a">
llvm.func @f() -> !llvm.ptr {
  %0 = reloc.address @s + -8 : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
