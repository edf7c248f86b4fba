; A boxed value whose payload is all zero: the front end left LLVM's `zeroinitializer`, which has no field to write into.
; The header is the word to relocate; the payload lies 16 bytes in, where vectors are aligned.
target triple = "x86_64-unknown-linux-gnu"

@zeros_box = internal constant { i64, i64, [16 x i8] } zeroinitializer, align 16

define ptr @payload() {
  ret ptr getelementptr (i8, ptr @zeros_box, i64 16)
}

; What a runtime does with a value: its type is before it, and says how to read it.
define i64 @read(ptr %value) {
  %before = getelementptr i8, ptr %value, i64 -8
  %type = load ptr, ptr %before
  %start = load i64, ptr %type
  %low = load i64, ptr %value
  %next = getelementptr i8, ptr %value, i64 8
  %high = load i64, ptr %next
  %both = or i64 %low, %high
  %result = add i64 %start, %both
  ret i64 %result
}

define i64 @zeros() {
  %value = call ptr @payload()
  %result = call i64 @read(ptr %value)
  ret i64 %result
}

!reloc.sites = !{!0}
!0 = !{ptr @zeros_box, i64 8, i64 64, !1, !"defer", i64 -1}
!1 = !{!"object", !"toy", !"type of vectors", i64 0}
