; report: chapel-lang/chapel/pull/29023: a symbol is not found once code is optimised
; right: what a loader writes is kept, by its name, in an artifact of one entry too
; relo: -t cuda --use clang --set clang.words=^rt_ -O3 --entry kernel
target triple = "nvptx64-nvidia-cuda"
@rt_host_reads = external addrspace(1) global i64

define ptx_kernel void @kernel(ptr addrspace(1) %out) {
  %w = load i64, ptr addrspace(1) @rt_host_reads
  store i64 %w, ptr addrspace(1) %out
  ret void
}
