llvm.mlir.global external @g(0 : i64) : i64
llvm.mlir.alias external @a {reloc.sites = [#reloc.site<0 : 64 -> #reloc.symbol<"a">>]} : i64 {
  %0 = llvm.mlir.addressof @g : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}
