; report: JuliaGPU/GPUCompiler.jl/pull/872: kernels on symbols always take one branch
; right: the slot is a declaration until it is lowered: its null is never compared with
; relo: -t x86_64-linux --use julia --strategy defer --emit llvm -O2
; session: {"global": "jl_sym#foo#12", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
@"jl_sym#foo#12" = internal global ptr null

define i64 @is_foo(ptr %x) {
  %foo = load ptr, ptr @"jl_sym#foo#12"
  %same = icmp eq ptr %x, %foo
  %r = select i1 %same, i64 1, i64 2
  ret i64 %r
}
