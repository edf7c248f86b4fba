; report: openjdk/jdk/pull/30884: an address without a relocation record, beside proper ones
; right: the one is a site, the other is found and named
; relo: -t x86_64-linux --emit llvm -O2
; session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "cos", "library": "libm.so.6"}}}
define double @two(double %x) {
  %a = call double inttoptr (i64 139637976731648 to ptr)(double %x)
  %b = call double inttoptr (i64 139637976743936 to ptr)(double %a)
  ret double %b
}
