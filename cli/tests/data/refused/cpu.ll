; target: cuda
; option: --cpu
; option: sm_8
define void @f() {
  ret void
}
