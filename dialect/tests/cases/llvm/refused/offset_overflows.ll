@g = global [2 x i64] zeroinitializer

!reloc.sites = !{!0}
!0 = !{ptr getelementptr (i8, ptr @g, i64 8), i64 9223372036854775807, i64 64, !1, !"", i64 -1}
!1 = !{!"symbol", !"a", !"", i64 0}
