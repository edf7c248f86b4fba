// report: JuliaLang/julia/pull/48723: an assertion fails for code of a kind that nobody expected
// right: a referent of another kind is refused, with its place in the table
// relo: -t x86_64-linux --emit llvm
// session: {"address": "0x7f0000001000", "target": {"external_code": {"name": "jl_invoke"}}}
llvm.func @f() -> i64 {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  llvm.return %a : i64
}
