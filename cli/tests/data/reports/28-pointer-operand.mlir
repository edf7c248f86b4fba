// report: jax-ml/jax/issues/25123: the IR differs from run to run by a pointer operand of a call
// right: the operand is the callback's identity, which is the same in every run
// relo: -t x86_64-linux --strategy defer --emit llvm
// session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "jax", "key": "callback:print_value"}}}
llvm.func @xla_python_cpu_callback(i64, f64) -> f64
llvm.func @main(%x: f64) -> f64 {
  %descriptor = llvm.mlir.constant(139637976731648 : i64) : i64
  %r = llvm.call @xla_python_cpu_callback(%descriptor, %x) : (i64, f64) -> f64
  llvm.return %r : f64
}
