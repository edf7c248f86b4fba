; report: llvm/llvm-project/pull/175277: SPIR-V can't say that a variable is initialised from outside
; right: a strategy that would rely on it is refused
; relo: -t opencl --use clang --set clang.words=^rt_ --strategy patch
target triple = "spirv64-unknown-unknown"
@rt_tag = external addrspace(1) global i64

define spir_kernel void @read(ptr addrspace(1) %out) {
  %tag = load i64, ptr addrspace(1) @rt_tag
  store i64 %tag, ptr addrspace(1) %out
  ret void
}
