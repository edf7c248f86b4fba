llvm.func @f() -> i64 {
  %0 = reloc.load @none : i64
  llvm.return %0 : i64
}
