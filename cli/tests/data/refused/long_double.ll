; target: cuda
define x86_fp80 @f(x86_fp80 %a) {
  %r = fadd x86_fp80 %a, %a
  ret x86_fp80 %r
}
