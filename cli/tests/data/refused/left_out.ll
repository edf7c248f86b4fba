; target: opencl
; option: --strategy
; option: import
; A module without functions: LLVM writes none of its variables.
@relo_rt_true_174cd0297fcd45a4 = external addrspace(1) global i64
@holder = addrspace(1) global ptr addrspace(1) @relo_rt_true_174cd0297fcd45a4
!reloc.sites = !{!0}
!0 = !{ptr addrspace(1) @relo_rt_true_174cd0297fcd45a4, i64 0, i64 64, !1, !"import", i64 -1}
!1 = !{!"word", !"rt_true", !"", i64 0}
