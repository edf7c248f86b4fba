; Two modules said the same, then they were linked.
@g = global i64 0

!reloc.sites = !{!0, !2}
!0 = !{ptr @g, i64 0, i64 64, !1, !"", i64 -1}
!1 = !{!"symbol", !"a", !"", i64 0}
!2 = !{ptr @g, i64 0, i64 64, !3, !"", i64 -1}
!3 = !{!"symbol", !"a", !"", i64 0}
