llvm.func @f() -> i64 {
  %0 = reloc.load @f : i64
  llvm.return %0 : i64
}
