reloc.slot @s : i64 -> #reloc.symbol<"a">
llvm.func @f() -> i64 {
  %0 = reloc.load @s {strategy = "patch", index = -3 : i64} : i64
  llvm.return %0 : i64
}
