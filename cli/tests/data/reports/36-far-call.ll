; report: llvm/llvm-project/issues/190968: a relaxed call to an absolute address crashes when it is far
; right: a call goes through the whole word, however far its callee is
; relo: -t x86_64-linux --emit assembly -O2
; session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "cos", "library": "libm.so.6"}}}
define double @far(double %x) {
  %r = call double inttoptr (i64 139637976731648 to ptr)(double %x)
  ret double %r
}
