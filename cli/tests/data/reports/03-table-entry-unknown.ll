; report: JuliaGPU/GPUCompiler.jl/pull/905: an entry that is only known when the code runs resolves to the first
; right: refused, never relocated as the first
; relo: -t x86_64-linux --use julia --strategy defer --emit llvm
; session: {"global": "unused", "target": {"symbol": {"name": "unused"}}}
@jl_small_typeof = external global [128 x ptr]

define ptr @entry(i64 %n) {
  %p = getelementptr ptr, ptr @jl_small_typeof, i64 %n
  %w = load ptr, ptr %p
  ret ptr %w
}
