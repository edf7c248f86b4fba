module attributes {llvm.data_layout = "e-m:e-i64:64-i128:128-n8:16:32:64-S128", llvm.target_triple = "x86_64-unknown-linux-gnu"} {
  llvm.mlir.global external @two(dense<0> : tensor<2xi64>) {addr_space = 0 : i32, externally_initialized, reloc.sites = [#reloc.site<0 : 64 -> #reloc.object<"julia", "Symbol foo" + 8>, "patch">, #reloc.site<8 : 64 -> #reloc.word<"jl_true" + 16, "libjulia">, "table", 4>]} : !llvm.array<2 x i64>
  llvm.mlir.global external @far() {addr_space = 1 : i32, reloc.sites = [#reloc.site<0 : 64 -> #reloc.symbol<"cos", "libm.so.6">>]} : i64
  llvm.func @f(%arg0: !llvm.ptr) -> i64 {
    %0 = llvm.load %arg0 {alignment = 8 : i64, reloc.carry = 7 : i64} : !llvm.ptr -> i64
    llvm.return %0 : i64
  }
}
