; Instructions are tied to their operations; what is no tie is left out.
define i64 @f(ptr %p, i64 %n) {
  %a = load i64, ptr %p, align 8, !reloc.carry !0
  %b = add i64 %a, %n, !reloc.carry !1
  %c = icmp eq i64 %b, 0, !reloc.carry !2
  br i1 %c, label %yes, label %no, !reloc.carry !3
yes:
  %d = call i64 @f(ptr %p, i64 %b), !reloc.carry !4
  ret i64 %d, !reloc.carry !5
no:
  ret i64 %b
}

!0 = !{i64 10}
!1 = !{i64 11}
!2 = !{i64 -1}
!3 = !{i64 13}
!4 = !{i64 14}
!5 = !{!"none"}
