; ModuleID = 'objects.385c62cdc5dfe064-cgu.0'
source_filename = "objects.385c62cdc5dfe064-cgu.0"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@rt_counter = external local_unnamed_addr global i64
@rt_table = external local_unnamed_addr global [4 x i64]
@none = local_unnamed_addr global [8 x i8] zeroinitializer, section "reloc.toy", align 8

; Function Attrs: mustprogress nofree norecurse nosync nounwind nonlazybind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define noundef i64 @counted() unnamed_addr #0 {
start:
  %_1 = load i64, ptr @rt_counter, align 8, !noundef !3
  %_3 = load i64, ptr getelementptr inbounds nuw (i8, ptr @rt_table, i64 16), align 8, !noundef !3
  %_0 = add i64 %_3, %_1
  ret i64 %_0
}

; Function Attrs: mustprogress nofree norecurse nosync nounwind nonlazybind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable
define noundef zeroext i1 @is_none(ptr noundef readnone captures(address) %object) unnamed_addr #0 {
start:
  %_2 = load ptr, ptr @none, align 8, !noundef !3
  %_0 = icmp eq ptr %_2, %object
  ret i1 %_0
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind nonlazybind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem0: none, target_mem1: none) uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }

!llvm.module.flags = !{!0, !1}
!llvm.ident = !{!2}

!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{i32 2, !"RtLibUseGOT", i32 1}
!2 = !{!"rustc version 1.95.0 (59807616e 2026-04-14)"}
!3 = !{}
