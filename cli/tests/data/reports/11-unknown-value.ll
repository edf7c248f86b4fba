; report: JuliaGPU/GPUCompiler.jl/pull/746: no map from globals to values, and cached kernels are wrong
; right: a value global that the table does not know, and that holds nothing, is found where it is used
; relo: -t x86_64-linux --use julia --emit llvm -O0
; session: {"global": "jl_sym#foo#2", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
@"jl_sym#foo#2" = internal global ptr null
@"jl_sym#bar#3" = internal global ptr null
@"jl_global#4" = internal global ptr null

define i1 @is_bar(ptr %x) {
  %foo = load ptr, ptr @"jl_sym#foo#2"
  %bar = load ptr, ptr @"jl_sym#bar#3"
  %is_foo = icmp eq ptr %x, %foo
  %is_bar = icmp eq ptr %x, %bar
  %is = or i1 %is_foo, %is_bar
  ret i1 %is
}
