; report: JuliaGPU/CUDA.jl/issues/463: an illegal address: a kernel loads through a host pointer
; right: refused, and the object is named
; relo: -t cuda --use julia
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "const:Main.TABLE"}}}
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %v = load i64, ptr inttoptr (i64 139637976731648 to ptr)
  store i64 %v, ptr addrspace(1) %out
  ret void
}
