; report: JuliaGPU/oneAPI.jl, its test "#55": out of bounds when boxing a vector of zeros
; right: `zeroinitializer` is taken apart, then the header is written
; relo: -t x86_64-linux --strategy bake --emit llvm -O0
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "type:NTuple{2, Int64}"}}}
@zeros = internal constant { i64, i64, [16 x i8] } zeroinitializer, align 16

define ptr @box() {
  ret ptr getelementptr (i8, ptr @zeros, i64 16)
}

!reloc.sites = !{!0}
!0 = !{ptr @zeros, i64 8, i64 64, !1, !"defer", i64 -1}
!1 = !{!"object", !"julia", !"type:NTuple{2, Int64}", i64 0}
