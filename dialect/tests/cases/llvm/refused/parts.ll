@g = global i64 0

!reloc.sites = !{!0}
!0 = !{ptr @g, i64 0, i64 64}
