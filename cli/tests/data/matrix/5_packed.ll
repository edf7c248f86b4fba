; shows: a word in packed data
; No address in it is aligned for a word.
target triple = "TRIPLE"

@packed = internalSPACE constant <{ i8, i64, i16, i64 }> <{ i8 1, i64 OBJECT0, i16 3, i64 OBJECT2 }>, align 8

define KERNEL void @k(ptrSPACE %out, i64 %a, i64 %b) {
  %p = getelementptr i8, ptrSPACE @packed, i64 %a
  %v = load i64, ptrSPACE %p, align 1
  store i64 %v, ptrSPACE %out, align 8
  ret void
}

define KERNEL void @plain(ptrSPACE %out, i64 %a, i64 %b) {
  store i64 %a, ptrSPACE %out, align 8
  ret void
}
