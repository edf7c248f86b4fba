; target: opencl
; option: --use
; option: clang
; option: --set
; option: clang.words=^rt_
; The input has a constant of its own under the number of the only word.
target triple = "spirv64-unknown-unknown"
@rt_true = external addrspace(1) global i64
declare spir_func i64 @_Z20__spirv_SpecConstantii(i32, i32)
define spir_func i64 @f() {
  %mine = call spir_func i32 @_Z20__spirv_SpecConstantii(i32 0, i32 0)
  %wide = zext i32 %mine to i64
  %t = load i64, ptr addrspace(1) @rt_true
  %r = add i64 %wide, %t
  ret i64 %r
}
