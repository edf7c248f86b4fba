module attributes {dlti.dl_spec = #dlti.dl_spec<!llvm.ptr = dense<64> : vector<4xi64>>} {
  reloc.slot @s : i32 -> #reloc.symbol<"a">
}
