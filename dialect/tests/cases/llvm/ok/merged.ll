; Globals were merged: entries point inside, at different distances, some through an alias.
@g = global { i64, [2 x i64], ptr } zeroinitializer
@alias = alias i64, getelementptr inbounds nuw (i8, ptr @g, i64 8)

!reloc.sites = !{!0, !2, !4, !6}
!0 = !{ptr getelementptr ({ i64, [2 x i64], ptr }, ptr @g, i64 0, i32 2), i64 0, i64 64, !1, !"", i64 -1}
!1 = !{!"symbol", !"a", !"", i64 0}
!2 = !{ptr @alias, i64 8, i64 64, !3, !"", i64 -1}
!3 = !{!"symbol", !"a", !"", i64 0}
!4 = !{ptr getelementptr (i8, ptr @g, i64 16), i64 -16, i64 64, !5, !"", i64 -1}
!5 = !{!"object", !"r", !"k", i64 -8}
!6 = !{ptr @alias, i64 0, i64 64, !7, !"", i64 -1}
!7 = !{!"word", !"w", !"lib.so", i64 24}
