llvm.mlir.global external @g() {reloc.sites = []} : i64
