reloc.slot private @used : i64 -> #reloc.symbol<"a">
reloc.slot private @unused : i64 -> #reloc.symbol<"b">
llvm.func internal @word() -> i64 {
  %0 = reloc.load @used : i64
  llvm.return %0 : i64
}
llvm.func @twice(%n: i64) -> i1 {
  %a = reloc.load @used : i64
  %b = reloc.load @used : i64
  %c = llvm.call @word() : () -> i64
  %dead = reloc.load @used : i64
  %zero = llvm.mlir.constant(0 : i64) : i64
  %s = llvm.add %a, %b : i64
  %t = llvm.add %s, %c : i64
  %e = llvm.icmp "eq" %t, %zero : i64
  llvm.return %e : i1
}
