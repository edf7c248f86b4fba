llvm.mlir.global external @g() {reloc.other = 1 : i64} : i64
