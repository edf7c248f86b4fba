; report: openjdk/jdk/pull/19703: a packed field is too narrow for the new address
; right: a site is a whole word, wherever it lies
; relo: -t x86_64-linux --emit llvm -O0
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "jvm", "key": "klass:Point"}}}
@packed = global <{ i8, i64, i8 }> <{ i8 7, i64 139637976731648, i8 8 }>

define ptr @where() {
  ret ptr @packed
}
