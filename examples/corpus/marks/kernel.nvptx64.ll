; ModuleID = 'kernel.cu'
source_filename = "kernel.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@none = dso_local addrspace(1) externally_initialized global i64 0, align 8
@.str = private unnamed_addr constant [22 x i8] c"reloc:object:toy:none\00", section "llvm.metadata"
@.str1 = private unnamed_addr constant [10 x i8] c"kernel.cu\00", section "llvm.metadata"
@type_float = external dso_local local_unnamed_addr addrspace(1) constant i64, section "reloc.toy", align 8
@rt_small_typeof = external dso_local local_unnamed_addr addrspace(1) constant [64 x i64], align 8
@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr addrspacecast (ptr addrspace(1) @none to ptr), ptr @.str, ptr @.str1, i32 8, ptr null }], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @none to ptr)], section "llvm.metadata"

; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define dso_local ptx_kernel void @tags(ptr noundef readonly captures(none) %0, ptr noundef writeonly captures(none) %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = icmp eq i32 %2, 0
  br i1 %4, label %8, label %5

5:                                                ; preds = %3
  %6 = load i64, ptr addrspacecast (ptr addrspace(1) @type_float to ptr), align 8, !tbaa !7
  %7 = load i64, ptr getelementptr inbounds nuw (i8, ptr addrspacecast (ptr addrspace(1) @rt_small_typeof to ptr), i64 8), align 8, !tbaa !7
  br label %9

8:                                                ; preds = %9, %3
  ret void

9:                                                ; preds = %5, %9
  %10 = phi i32 [ 0, %5 ], [ %24, %9 ]
  %11 = zext i32 %10 to i64
  %12 = getelementptr inbounds nuw i64, ptr %0, i64 %11
  %13 = load i64, ptr %12, align 8, !tbaa !7
  %14 = icmp eq i64 %13, %6
  %15 = zext i1 %14 to i8
  %16 = icmp eq i64 %13, %7
  %17 = select i1 %16, i8 2, i8 0
  %18 = or disjoint i8 %17, %15
  %19 = load i64, ptr addrspacecast (ptr addrspace(1) @none to ptr), align 8, !tbaa !7
  %20 = icmp eq i64 %13, %19
  %21 = select i1 %20, i8 4, i8 0
  %22 = or disjoint i8 %18, %21
  %23 = getelementptr inbounds nuw i8, ptr %1, i64 %11
  store i8 %22, ptr %23, align 1, !tbaa !9
  %24 = add nuw i32 %10, 1
  %25 = icmp eq i32 %24, %2
  br i1 %25, label %8, label %9, !llvm.loop !10
}

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+ptx80,+sm_80" "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0, !1, !2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C++ TBAA"}
!7 = !{!8, !8, i64 0}
!8 = !{!"long", !5, i64 0}
!9 = !{!5, !5, i64 0}
!10 = distinct !{!10, !11, !12}
!11 = !{!"llvm.loop.mustprogress"}
!12 = !{!"llvm.loop.unroll.disable"}
