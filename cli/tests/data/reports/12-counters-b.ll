; report: JuliaGPU/GPUCompiler.jl/pull/901: equal kernels, different bytes
; right: counters of the code generator and the order of globals are gone: the artifact is the same
; relo: -t x86_64-linux --use julia -O2
; same: 12-counters-a
; session: {"global": "jl_sym#foo#977", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
; session: {"global": "jl_global#4", "target": {"object": {"runtime": "julia", "key": "const:Main.TABLE"}}}
@"jl_global#4" = internal global ptr null
@"jl_sym#foo#977" = internal global ptr null

define ptr @pick(i1 %c) {
  %a = load ptr, ptr @"jl_sym#foo#977"
  %b = load ptr, ptr @"jl_global#4"
  %r = select i1 %c, ptr %a, ptr %b
  ret ptr %r
}
