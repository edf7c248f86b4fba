reloc.slot @s : i64 -> #reloc.symbol<"a">
llvm.func @f() -> i64 {
  %0 = reloc.address @s : i64
  llvm.return %0 : i64
}
