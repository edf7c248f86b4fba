llvm.mlir.global external @g() {reloc.sites = [8 : i64]} : i64
