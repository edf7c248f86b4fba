; report: JuliaGPU/GPUCompiler.jl/pull/902: ld.lld asks for -fPIC on AMDGPU
; right: the slot is protected: the code object links, and a loader finds the word by its name
; relo: -t amdgpu --use clang --set clang.words=^rt_ -O2
target triple = "amdgcn-amd-amdhsa"
@rt_tag = external dso_local addrspace(1) global i64

define amdgpu_kernel void @compare(ptr addrspace(1) %out, i64 %x) {
  %tag = load i64, ptr addrspace(1) @rt_tag
  %same = icmp eq i64 %x, %tag
  %bit = zext i1 %same to i64
  store i64 %bit, ptr addrspace(1) %out
  ret void
}
