; Code for a JIT: a word that is imported, and a box with a word inside it. A JIT finds data by name, so the box is no local.
target triple = "x86_64-unknown-linux-gnu"

@rate_box = global { i64, i64 } { i64 139637976735744, i64 5 }, align 16

define i64 @value() {
  %base = load i64, ptr inttoptr (i64 139637976731648 to ptr)
  %type = load ptr, ptr @rate_box
  %unit = load i64, ptr %type
  %rate = load i64, ptr getelementptr (i8, ptr @rate_box, i64 8)
  %scaled = mul i64 %rate, %unit
  %result = add i64 %base, %scaled
  ret i64 %result
}
