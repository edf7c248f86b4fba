; report: JuliaGPU/GPUCompiler.jl/pull/746: no map from globals to values, and cached kernels are wrong
; right: an address that the table does not know is found, and the artifact is not portable
; relo: -t x86_64-linux --use julia --emit llvm -O0
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
@"jl_sym#bar#3" = internal global ptr inttoptr (i64 139637976735744 to ptr)

define ptr @bar() {
  %w = load ptr, ptr @"jl_sym#bar#3"
  ret ptr %w
}
