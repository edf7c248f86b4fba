@g = global i64 0

!reloc.sites = !{!0}
!0 = !{<2 x ptr> <ptr @g, ptr @g>, i64 0, i64 64, !1, !"", i64 -1}
!1 = !{!"symbol", !"a", !"", i64 0}
