// report: nodejs/node/issues/47636: offsets are taken from a temporary heap
// right: a place inside an object is the object and a distance, not a number of its own
// relo: -t x86_64-linux --strategy defer --emit llvm -O2
// session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "v8", "key": "map:JSArray"}}}
llvm.func @field() -> i64 {
  %a = llvm.mlir.constant(139637976731648 : i64) : i64
  %map = llvm.inttoptr %a : i64 to !llvm.ptr
  %p = llvm.getelementptr %map[12] : (!llvm.ptr) -> !llvm.ptr, i8
  %w = llvm.load %p : !llvm.ptr -> i64
  llvm.return %w : i64
}
