; report: numba/numba/issues/3825: a jump to 0 in a cached run
; right: the symbol stays one, which a loader has to find: nothing is left null
; relo: -t x86_64-linux --strategy import --emit llvm -O2
; session: {"address": "0x7f0000001000", "target": {"symbol": {"name": "scipy_dgemm", "library": "libscipy.so"}}}
define void @call() {
  call void inttoptr (i64 139637976731648 to ptr)()
  ret void
}
