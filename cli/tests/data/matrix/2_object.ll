; shows: an object
; Objects of the session: as an address in code, as globals that hold one and the same, and a symbol's address.
target triple = "TRIPLE"

@held0 = externalSPACE global i64, align 8
@again0 = internalSPACE global i64 0, align 8
@rt_a0 = externalSPACE global i8

define KERNEL void @k(ptrSPACE %out, i64 %a, i64 %b) {
  %h = load i64, ptrSPACE @held0, align 8
  %g = load i64, ptrSPACE @again0, align 8
  %is = icmp eq i64 %a, OBJECT1
  %p = ptrtoint ptrSPACE @rt_a0 to i64
  %s = select i1 %is, i64 %p, i64 %h
  %x = add i64 %s, %g
  store i64 %x, ptrSPACE %out, align 8
  ret void
}

define KERNEL void @plain(ptrSPACE %out, i64 %a, i64 %b) {
  store i64 %a, ptrSPACE %out, align 8
  ret void
}
