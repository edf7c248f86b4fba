module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>, !llvm.ptr<3> = dense<32> : vector<4xi64>>} {
  reloc.slot @s : !llvm.ptr<3> -> #reloc.symbol<"a">
}
