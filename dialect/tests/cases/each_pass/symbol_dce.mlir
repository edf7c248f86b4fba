// pass: builtin.module(symbol-dce)
// left: 2 reloc.slot
// left: 1 reloc.record
// Private slots and records that nothing refers to go; what is used from code or data, and what is public, stays.
reloc.slot private @used : i64 -> #reloc.object<"rt", "used">
reloc.slot private @unused : i64 -> #reloc.object<"rt", "unused">
reloc.slot @public : i64 -> #reloc.object<"rt", "public">
reloc.record private @box : !llvm.struct<(i64, i64)> sites [#reloc.site<0 : 64 -> #reloc.object<"rt", "tag">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<(i64, i64)>
  llvm.return %0 : !llvm.struct<(i64, i64)>
}
reloc.record private @dead_box : !llvm.struct<(i64, i64)> sites [#reloc.site<0 : 64 -> #reloc.object<"rt", "tag">>] init {
  %0 = llvm.mlir.zero : !llvm.struct<(i64, i64)>
  llvm.return %0 : !llvm.struct<(i64, i64)>
}
llvm.func @f() -> !llvm.ptr {
  %w = reloc.load @used : i64
  %p = reloc.address @box + 8 : !llvm.ptr
  %q = llvm.getelementptr %p[%w] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %q : !llvm.ptr
}
