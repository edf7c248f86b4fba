; target: opencl
define void @f(i128 %c) {
  switch i128 %c, label %d [ i128 1, label %e
   i128 99999999999999999999999, label %d ]
d: ret void
e: unreachable
}
