; report: llvm/llvm-project/pull/175277: SPIR-V can't say that a variable is initialised from outside
; right: a word is a specialisation constant, or in a table; never a zero that is believed
; relo: -t opencl --use clang --set clang.words=^rt_ --emit assembly
target triple = "spirv64-unknown-unknown"
@rt_tag = external addrspace(1) global i64

define spir_kernel void @compare(ptr addrspace(1) %out, i64 %x) {
  %tag = load i64, ptr addrspace(1) @rt_tag
  %same = icmp eq i64 %x, %tag
  %bit = zext i1 %same to i64
  store i64 %bit, ptr addrspace(1) %out
  ret void
}
