; target: cuda
; option: -O0
; option: --cpu
; option: sm_70
define void @f(ptr %p) { 
  %s = alloca i8, i64 5000000000
  %q = alloca [3 x i8], i32 7, addrspace(5)
  store ptr %s, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %s, i64 100000, i1 true)
  %t = call ptr @llvm.stacksave.p0()
  ret void }
declare void @llvm.memcpy.p0.p0.i64(ptr,ptr,i64,i1)
declare ptr @llvm.stacksave.p0()
