reloc.slot @s : i64 -> #reloc.symbol<"a">
llvm.func @f() -> i32 {
  %0 = reloc.load @s : i32
  llvm.return %0 : i32
}
