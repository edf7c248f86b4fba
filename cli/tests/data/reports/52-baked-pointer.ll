; report: llvm/llvm-project/pull/166494: SPIR-V has no pointer that is made from a number at the start
; right: a word that is baked is a number
; relo: -t opencl --strategy bake --emit assembly
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
target triple = "spirv64-unknown-unknown"

define spir_kernel void @compare(ptr addrspace(1) %out, i64 %x) {
  %same = icmp eq i64 %x, 139637976731648
  %bit = zext i1 %same to i64
  store i64 %bit, ptr addrspace(1) %out
  ret void
}
