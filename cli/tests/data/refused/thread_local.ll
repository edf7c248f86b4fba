; target: cuda
@t = thread_local global i32 3
define i32 @f() { 
  %p = call ptr @llvm.threadlocal.address.p0(ptr @t)
  %v = load i32, ptr %p
  ret i32 %v
}
declare ptr @llvm.threadlocal.address.p0(ptr)
