reloc.record @box : !llvm.struct<(i64, array<8 x i8>)> sites [#reloc.site<0 : 64 -> #reloc.object<"julia", "Core.Float64">>] global {alignment = 16 : i64, constant} init {
  %0 = llvm.mlir.zero : !llvm.struct<(i64, array<8 x i8>)>
  llvm.return %0 : !llvm.struct<(i64, array<8 x i8>)>
}
reloc.record @plain : i64 = 0 : i64 sites [#reloc.site<0 : 64 -> #reloc.symbol<"a">, "patch", 1>]
reloc.record private @packed : !llvm.struct<packed (i8, i64)> sites [#reloc.site<1 : 64 -> #reloc.symbol<"a">, "patch">] init {
  %0 = llvm.mlir.zero : !llvm.struct<packed (i8, i64)>
  llvm.return %0 : !llvm.struct<packed (i8, i64)>
}
reloc.record @nested : !llvm.struct<(array<2 x struct<(i8, ptr, struct<()>)>>, vector<2xi32>)> sites [#reloc.site<8 : 64 -> #reloc.symbol<"a">>, #reloc.site<24 : 64 -> #reloc.symbol<"b">>, #reloc.site<36 : 32 -> #reloc.symbol<"c">>] attributes {index = 0 : i64, strategy = "patch"} init {
  %0 = llvm.mlir.zero : !llvm.struct<(array<2 x struct<(i8, ptr, struct<()>)>>, vector<2xi32>)>
  llvm.return %0 : !llvm.struct<(array<2 x struct<(i8, ptr, struct<()>)>>, vector<2xi32>)>
}
llvm.mlir.global external @lowered(dense<0> : tensor<2xi32>) {reloc.sites = [#reloc.site<0 : 32 -> #reloc.symbol<"a">, "table", 0>, #reloc.site<4 : 32 -> #reloc.symbol<"b">>]} : !llvm.array<2 x i32>
llvm.mlir.global external @declared() {reloc.sites = [#reloc.site<0 : 64 -> #reloc.symbol<"a">>]} : i64
llvm.func @uses() -> !llvm.ptr {
  %0 = reloc.address @box + 8 : !llvm.ptr
  %1 = reloc.address @plain {strategy = "patch"} : !llvm.ptr<1>
  llvm.return %0 : !llvm.ptr
}
