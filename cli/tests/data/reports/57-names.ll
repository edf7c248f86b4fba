; report: llvm/llvm-project/issues/58491: ptxas refuses names with dots
; right: a slot has a name that every assembler takes, and no two have one
; relo: -t cuda --use julia -O2
; session: {"global": "jl_sym#a.b#1", "target": {"object": {"runtime": "julia", "key": "sym:a.b"}}}
; session: {"global": "jl_sym#a_b#2", "target": {"object": {"runtime": "julia", "key": "sym:a_b"}}}
; session: {"global": "∀@x", "target": {"object": {"runtime": "julia", "key": "sym:∀@x"}}}
target triple = "nvptx64-nvidia-cuda"
@"jl_sym#a.b#1" = external global i64
@"jl_sym#a_b#2" = external global i64
@"\E2\88\80@x" = external global i64

define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %a = load i64, ptr @"jl_sym#a.b#1"
  %b = load i64, ptr @"jl_sym#a_b#2"
  %c = load i64, ptr @"\E2\88\80@x"
  %ab = xor i64 %a, %b
  %abc = add i64 %ab, %c
  store i64 %abc, ptr addrspace(1) %out
  ret void
}
