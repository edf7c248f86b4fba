; target: amdgpu
@"k.kd" = global i32 0
define amdgpu_kernel void @k() {
  ret void
}
