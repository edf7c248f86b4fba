module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, !llvm.ptr<3> = dense<32> : vector<4xi64>>} {
  reloc.slot @s : i64 -> #reloc.symbol<"a">
  llvm.func @f() -> !llvm.ptr<3> {
    %0 = reloc.load @s : !llvm.ptr<3>
    llvm.return %0 : !llvm.ptr<3>
  }
}
