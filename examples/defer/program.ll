; What a tool has in its cache: code that refers to two objects of its host.
target triple = "x86_64-unknown-linux-gnu"

define i64 @total(i64 %n) {
  %a = load i64, ptr inttoptr (i64 139637976731648 to ptr)
  %b = load i64, ptr inttoptr (i64 139637976735744 to ptr)
  %s = call i64 @mix(i64 %a, i64 %b)
  %t = mul i64 %s, %n
  ret i64 %t
}
declare i64 @mix(i64, i64)
