; Compiled later, in another session: the function, which refers to an object of the parent's too, at another address, and
; to one of its own. What nobody asked for stays behind, its objects with it.
target triple = "x86_64-unknown-linux-gnu"

define i64 @derivative(i64 %x) {
  %scale = load i64, ptr inttoptr (i64 94387430469632 to ptr)
  %shift = load i64, ptr inttoptr (i64 94387430473728 to ptr)
  %a = mul i64 %x, %scale
  %r = add i64 %a, %shift
  ret i64 %r
}

define i64 @unasked() {
  %other = load i64, ptr inttoptr (i64 94387430477824 to ptr)
  ret i64 %other
}
