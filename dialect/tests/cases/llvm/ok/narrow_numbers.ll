; Numbers of any width are numbers.
@g = global [2 x i64] zeroinitializer

!reloc.sites = !{!0}
!0 = !{ptr @g, i8 8, i128 64, !1, !"", i32 -1}
!1 = !{!"symbol", !"a", !"", i16 -4}
