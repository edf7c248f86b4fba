; shows: a word in data
; Records: nested and padded, aligned to 16 bytes; and one that is all zero without its words.
target triple = "TRIPLE"

@rt_a0 = externalSPACE global i8
@rt_a1 = externalSPACE global i8
@padded = internalSPACE constant { i32, i64, [2 x i64] } { i32 5, i64 OBJECT1, [2 x i64] [i64 77, i64 OBJECT0] }, align 16
@zero = internalSPACE constant [2 x ptrSPACE] [ptrSPACE @rt_a0, ptrSPACE @rt_a1], align 16

define KERNEL void @k(ptrSPACE %out, i64 %a, i64 %b) {
  %p = getelementptr { i32, i64, [2 x i64] }, ptrSPACE @padded, i64 0, i32 2, i64 %a
  %v = load i64, ptrSPACE %p, align 8
  %q = getelementptr i64, ptrSPACE @zero, i64 %b
  %w = load i64, ptrSPACE %q, align 8
  %n = load i64, ptrSPACE getelementptr (i8, ptrSPACE @padded, i64 8), align 8
  %s = add i64 %v, %w
  %t = add i64 %s, %n
  store i64 %t, ptrSPACE %out, align 8
  ret void
}

define KERNEL void @plain(ptrSPACE %out, i64 %a, i64 %b) {
  store i64 %a, ptrSPACE %out, align 8
  ret void
}
