module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<32> : vector<4xi64>>} {
  reloc.slot @s : i32 -> #reloc.symbol<"a">
  reloc.slot @p : !llvm.ptr -> #reloc.symbol<"a">
  reloc.record @r : !llvm.struct<(i8, ptr)> sites [#reloc.site<4 : 32 -> #reloc.symbol<"a">>] init {
    %0 = llvm.mlir.zero : !llvm.struct<(i8, ptr)>
    llvm.return %0 : !llvm.struct<(i8, ptr)>
  }
  llvm.func @f() -> !llvm.ptr {
    %0 = reloc.load @s : !llvm.ptr
    llvm.return %0 : !llvm.ptr
  }
}
