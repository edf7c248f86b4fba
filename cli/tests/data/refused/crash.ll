; target: opencl
; LLVM crashes on a builtin with too few arguments.
declare spir_func i64 @_Z20__spirv_SpecConstantil()
define i64 @f() {
  %v = call spir_func i64 @_Z20__spirv_SpecConstantil()
  ret i64 %v
}
