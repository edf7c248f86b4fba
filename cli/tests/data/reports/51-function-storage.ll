; report: JuliaGPU/oneAPI.jl/issues/502: a global in SPIR-V's Function storage class
; right: the words lie in memory that kernels share
; relo: -t opencl --use clang --set clang.words=^rt_ --strategy table --emit assembly
target triple = "spirv64-unknown-unknown"
@rt_tag = external addrspace(1) global i64

define spir_kernel void @read(ptr addrspace(1) %out) {
  %tag = load i64, ptr addrspace(1) @rt_tag
  store i64 %tag, ptr addrspace(1) %out
  ret void
}
