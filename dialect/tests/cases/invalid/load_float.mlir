reloc.slot @s : i64 -> #reloc.symbol<"a">
llvm.func @f() -> f64 {
  %0 = reloc.load @s : f64
  llvm.return %0 : f64
}
