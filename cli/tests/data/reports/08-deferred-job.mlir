// report: JuliaGPU/GPUCompiler.jl/issues/581: the number of a deferred job is valid in one session only
// right: the number is of the session table, and becomes the job's key
// relo: -t x86_64-linux --strategy defer --emit llvm
// session: {"address": "0x5ca1ab1e0042", "target": {"object": {"runtime": "gpucompiler", "key": "job:kernel(Int64)"}}}
llvm.func @deferred_codegen(i64) -> !llvm.ptr
llvm.func @launch() -> !llvm.ptr {
  %id = llvm.mlir.constant(101849430360130 : i64) : i64
  %f = llvm.call @deferred_codegen(%id) : (i64) -> !llvm.ptr
  llvm.return %f : !llvm.ptr
}
