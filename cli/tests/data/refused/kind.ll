; target: cuda
; option: --emit
; option: shared-object
define void @f() {
  ret void
}
