; report: pygae/clifford/issues/363: large arrays by address stop code from being cached
; right: the array is an object; the address of an element is an address inside it
; relo: -t x86_64-linux --strategy defer --emit llvm -O2
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "python", "key": "clifford.gmt"}}}
; session: {"address": "0x7f0000001040", "target": {"object": {"runtime": "python", "key": "clifford.gmt", "addend": 64}}}
define double @product(i64 %i) {
  %p = getelementptr double, ptr inttoptr (i64 139637976731648 to ptr), i64 %i
  %a = load double, ptr %p
  %b = load double, ptr inttoptr (i64 139637976731712 to ptr)
  %r = fmul double %a, %b
  ret double %r
}
