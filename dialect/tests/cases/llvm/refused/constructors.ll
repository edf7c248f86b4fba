@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 1, ptr @f, ptr null }]
define void @f() {
  ret void
}

!reloc.sites = !{!0}
!0 = !{ptr @llvm.global_ctors, i64 8, i64 64, !1, !"", i64 -1}
!1 = !{!"symbol", !"a", !"", i64 0}
