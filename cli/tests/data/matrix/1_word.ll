; shows: a word
; Words of a runtime: one loaded twice, one inside data, one through a function; and a kernel without any.
target triple = "TRIPLE"

@rt_w0 = externalSPACE global i64, align 8
@rt_w1 = externalSPACE global i64, align 8
@rt_table = externalSPACE global [8 x i64], align 8

define internal FUNCTION i64 @choose(i64 %v) noinline {
  %t = load i64, ptrSPACE @rt_w0, align 8
  %f = load i64, ptrSPACE @rt_w1, align 8
  %odd = trunc i64 %v to i1
  %r = select i1 %odd, i64 %t, i64 %f
  ret i64 %r
}

define KERNEL void @k(ptrSPACE %out, i64 %a, i64 %b) {
  %t = load i64, ptrSPACE @rt_w0, align 8
  %again = load i64, ptrSPACE @rt_w0, align 8
  %third = load i64, ptrSPACE getelementptr ([8 x i64], ptrSPACE @rt_table, i64 0, i64 3), align 8
  %c = call FUNCTION i64 @choose(i64 %a)
  %s = add i64 %t, %third
  %x = xor i64 %s, %c
  %y = add i64 %x, %again
  store i64 %y, ptrSPACE %out, align 8
  ret void
}

define KERNEL void @plain(ptrSPACE %out, i64 %a, i64 %b) {
  store i64 %a, ptrSPACE %out, align 8
  ret void
}
