; What the compiler of a small language made. It runs in the language's own process, and wrote that process's addresses
; into the code: a counter, a factor, and the C library's `cos`.

define i64 @count(i64 %by) {
  %old = atomicrmw add ptr inttoptr (i64 139637980925952 to ptr), i64 %by seq_cst
  %new = add i64 %old, %by
  ret i64 %new
}

define double @wave(double %x) {
  %y = call double inttoptr (i64 139637980987392 to ptr)(double %x)
  %factor = load double, ptr inttoptr (i64 139637980930064 to ptr)
  %z = fmul double %y, %factor
  ret double %z
}
