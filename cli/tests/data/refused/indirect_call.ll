; target: opencl
define i32 @f(ptr %callee, i32 %a) {
  %r = call i32 %callee(i32 %a)
  ret i32 %r
}
