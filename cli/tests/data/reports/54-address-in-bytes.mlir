// report: NVlabs/cuda-oxide/issues/983: a union with a pointer is bytes
// right: an address that is spelt in bytes is found: the artifact is not portable
// relo: -t x86_64-linux --emit llvm -O0
// session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "cuda", "key": "callback"}}}
llvm.mlir.global external constant @union("\00\10\00\00\00\7F\00\00") : !llvm.array<8 x i8>
