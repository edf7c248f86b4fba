// report: EnzymeAD/Enzyme.jl/pull/3354: a tool broke when the constant initialisers vanished
// right: `!reloc.sites` says of each slot what it stands for, without an address
// relo: -t x86_64-linux --strategy defer --emit llvm -O0
// session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "type:Float64"}}}
// session: {"address": "0x7f0000002010", "target": {"object": {"runtime": "julia", "key": "const:Main.TABLE", "addend": 16}}}
llvm.func @two(%c: i1) -> i64 {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  %b = llvm.mlir.constant(139637976735760 : i64) : i64
  %r = llvm.select %c, %a, %b : i1, i64
  llvm.return %r : i64
}
