// report: JuliaGPU/GPUCompiler.jl/pull/888: a crash sizing the empty type
// right: an object is a word that says which it is: relo never asks for its size
// relo: -t x86_64-linux --strategy defer --emit llvm
// session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "type:Union{}"}}}
llvm.func @is_bottom(%t: !llvm.ptr) -> i1 {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  %bottom = llvm.inttoptr %a : i64 to !llvm.ptr
  %e = llvm.icmp "eq" %t, %bottom : !llvm.ptr
  llvm.return %e : i1
}
