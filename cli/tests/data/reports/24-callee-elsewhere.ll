; report: numba/numba/issues/1875: a cached caller lacks its callee
; right: the callee is a symbol that the dynamic linker asks for by name
; relo: -t x86_64-linux --emit assembly -O2
; session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "cos"}}}
declare double @callee(double)

define double @caller(double %x) {
  %r = call double @callee(double %x)
  %s = call double inttoptr (i64 139637976731648 to ptr)(double %r)
  ret double %s
}
