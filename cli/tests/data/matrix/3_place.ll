; shows: the place of a word
; The address of the word itself goes to a function.
target triple = "TRIPLE"

@held0 = externalSPACE global i64, align 8

define internal FUNCTION i64 @peek(ptrSPACE %p) noinline {
  %v = load volatile i64, ptrSPACE %p, align 8
  ret i64 %v
}

define KERNEL void @k(ptrSPACE %out, i64 %a, i64 %b) {
  %v = call FUNCTION i64 @peek(ptrSPACE @held0)
  store i64 %v, ptrSPACE %out, align 8
  ret void
}

define KERNEL void @plain(ptrSPACE %out, i64 %a, i64 %b) {
  store i64 %a, ptrSPACE %out, align 8
  ret void
}
