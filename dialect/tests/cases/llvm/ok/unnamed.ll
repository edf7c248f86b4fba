; A global without a name keeps its sites.
@0 = internal global i64 0
@1 = private externally_initialized global [2 x i64] zeroinitializer
@uses = global [2 x ptr] [ptr @0, ptr @1]

!reloc.sites = !{!0, !2}
!0 = !{ptr @0, i64 0, i64 64, !1, !"patch", i64 -1}
!1 = !{!"symbol", !"a", !"", i64 0}
!2 = !{ptr @1, i64 8, i64 64, !3, !"table", i64 5}
!3 = !{!"symbol", !"a", !"", i64 0}
