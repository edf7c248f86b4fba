; shows: a word in data that code writes
; What is there when the code begins is the loader's; what comes later is the program's.
target triple = "TRIPLE"

@state = internalSPACE global [2 x i64] [i64 OBJECT2, i64 9], align 16

define KERNEL void @k(ptrSPACE %out, i64 %a, i64 %b) {
  %p = getelementptr i64, ptrSPACE @state, i64 %a
  %v = load i64, ptrSPACE %p, align 8
  store i64 %b, ptrSPACE %p, align 8
  store i64 %v, ptrSPACE %out, align 8
  ret void
}

define KERNEL void @plain(ptrSPACE %out, i64 %a, i64 %b) {
  store i64 %a, ptrSPACE %out, align 8
  ret void
}
