; report: EnzymeAD/Enzyme.jl/pull/3521: an artifact that is called portable holds addresses on paths that tests never run
; right: the whole module is looked through: it is not portable, and the place is named
; relo: -t x86_64-linux --emit llvm -O2
; session: {"address": "0x7f0000001000", "target": {"object": {"runtime": "julia", "key": "sym:foo"}}}
declare void @throw(ptr) noreturn

define i64 @divide(i64 %a, i64 %b) {
  %zero = icmp eq i64 %b, 0
  br i1 %zero, label %cold, label %warm
cold:
  call void @throw(ptr inttoptr (i64 139637976739840 to ptr))
  unreachable
warm:
  %q = sdiv i64 %a, %b
  ret i64 %q
}
