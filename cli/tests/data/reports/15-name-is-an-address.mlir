// report: EnzymeAD/Enzyme.jl/pull/3515: names spell an address
// right: the name is found: the artifact is not portable
// relo: -t x86_64-linux --emit llvm -O0
// session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
llvm.mlir.global external @ejl_7f0000001000() : !llvm.ptr
llvm.func @load() -> !llvm.ptr {
  %p = llvm.mlir.addressof @ejl_7f0000001000 : !llvm.ptr
  %w = llvm.load %p : !llvm.ptr -> !llvm.ptr
  llvm.return %w : !llvm.ptr
}
