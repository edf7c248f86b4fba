// report: EnzymeAD/Reactant.jl/issues/3190: a library's path on the machine that built it
// right: the referent is what the front end says, in the manifest where the host sees it; no other path gets into the artifact
// relo: -t x86_64-linux -O2
// session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "ReactantRun", "library": "libReactantExtra.so"}}}
llvm.func @run(%x: i64) -> i64 {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  %f = llvm.inttoptr %a : i64 to !llvm.ptr
  %r = llvm.call %f(%x) : !llvm.ptr, (i64) -> i64
  llvm.return %r : i64
}
