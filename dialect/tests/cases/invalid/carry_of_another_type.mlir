llvm.func @f() {
  llvm.return {reloc.carry = 7 : i128}
}
