; The tool's own library, which knows nothing of relocations.
target triple = "x86_64-unknown-linux-gnu"

define i64 @mix(i64 %a, i64 %b) {
  %r = sub i64 %a, %b
  ret i64 %r
}
