; ModuleID = 'objects.cpp'
source_filename = "objects.cpp"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

$_Z2isIdEbP6Object = comdat any

$_ZN3toy4noneE = comdat any

@_ZN3toy4TypeIdE2ofE = dso_local global ptr null, align 8
@.str = private unnamed_addr constant [28 x i8] c"reloc:object:toy:type float\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [12 x i8] c"objects.cpp\00", section "llvm.metadata"
@alloc = dso_local global ptr null, align 8
@.str.2 = private unnamed_addr constant [31 x i8] c"reloc:symbol:rt_alloc@librt.so\00", section "llvm.metadata"
@_ZN3toy4noneE = linkonce_odr dso_local global ptr null, comdat, align 8
@counter = external local_unnamed_addr constant ptr, section "reloc.toy", align 8
@.str.3 = private unnamed_addr constant [22 x i8] c"reloc:object:toy:none\00", section "llvm.metadata"
@llvm.global.annotations = appending global [3 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @_ZN3toy4TypeIdE2ofE, ptr @.str, ptr @.str.1, i32 8, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @alloc, ptr @.str.2, ptr @.str.1, i32 11, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @_ZN3toy4noneE, ptr @.str.3, ptr @.str.1, i32 6, ptr null }], section "llvm.metadata"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define dso_local noundef zeroext i1 @_Z7is_noneP6Object(ptr noundef readnone captures(address) %0) local_unnamed_addr #0 {
  %2 = load ptr, ptr @_ZN3toy4noneE, align 8, !tbaa !8
  %3 = icmp eq ptr %0, %2
  ret i1 %3
}

; Function Attrs: mustprogress nounwind uwtable
define weak_odr dso_local noundef zeroext i1 @_Z2isIdEbP6Object(ptr noundef %0) local_unnamed_addr #1 comdat {
  %2 = load ptr, ptr @_ZN3toy4TypeIdE2ofE, align 8, !tbaa !8
  %3 = icmp eq ptr %0, %2
  ret i1 %3
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
define dso_local noundef ptr @_Z5countv() local_unnamed_addr #2 {
  %1 = load ptr, ptr @counter, align 8, !tbaa !8
  ret ptr %1
}

; Function Attrs: mustprogress uwtable
define dso_local noundef ptr @_Z5freshv() local_unnamed_addr #3 {
  %1 = load ptr, ptr @alloc, align 8, !tbaa !11
  %2 = icmp eq ptr %1, null
  br i1 %2, label %5, label %3

3:                                                ; preds = %0
  %4 = tail call noundef ptr %1(i64 noundef 16)
  br label %7

5:                                                ; preds = %0
  %6 = load ptr, ptr @_ZN3toy4noneE, align 8, !tbaa !8
  br label %7

7:                                                ; preds = %5, %3
  %8 = phi ptr [ %4, %3 ], [ %6, %5 ]
  ret ptr %8
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nounwind uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress uwtable "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.module.flags = !{!0, !1, !2, !3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"p1 _ZTS6Object", !10, i64 0}
!10 = !{!"any pointer", !6, i64 0}
!11 = !{!10, !10, i64 0}
