; report: JuliaGPU/GPUCompiler.jl/pull/905: entries of a table other than the first resolve to null
; right: one referent a symbol and offset
; relo: -t x86_64-linux --use julia --strategy defer --emit llvm -O2
; session: {"global": "unused", "target": {"symbol": {"name": "unused"}}}
@jl_small_typeof = external global [128 x ptr]

define ptr @first() {
  %w = load ptr, ptr @jl_small_typeof
  ret ptr %w
}

define ptr @bool() {
  %w = load ptr, ptr getelementptr (i8, ptr @jl_small_typeof, i64 192)
  ret ptr %w
}
