; ModuleID = 'kernel.cl'
source_filename = "kernel.cl"
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"

@type_float = addrspace(1) global i64 0, align 8
@.str = private unnamed_addr addrspace(2) constant [28 x i8] c"reloc:object:toy:type float\00", section "llvm.metadata"
@.str.1 = private unnamed_addr addrspace(2) constant [10 x i8] c"kernel.cl\00", section "llvm.metadata"
@small_type = addrspace(1) global i64 0, align 8
@.str.2 = private unnamed_addr addrspace(2) constant [38 x i8] c"reloc:word:rt_small_typeof+8@librt.so\00", section "llvm.metadata"
@llvm.global.annotations = appending addrspace(1) global [2 x { ptr addrspace(1), ptr addrspace(2), ptr addrspace(2), i32, ptr addrspace(2) }] [{ ptr addrspace(1), ptr addrspace(2), ptr addrspace(2), i32, ptr addrspace(2) } { ptr addrspace(1) @type_float, ptr addrspace(2) @.str, ptr addrspace(2) @.str.1, i32 4, ptr addrspace(2) null }, { ptr addrspace(1), ptr addrspace(2), ptr addrspace(2), i32, ptr addrspace(2) } { ptr addrspace(1) @small_type, ptr addrspace(2) @.str.2, ptr addrspace(2) @.str.1, i32 5, ptr addrspace(2) null }], section "llvm.metadata"

; Function Attrs: nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define spir_kernel void @tags(ptr addrspace(1) noundef readonly align 8 captures(none) %0, ptr addrspace(1) noundef writeonly align 1 captures(none) %1, i32 noundef %2) local_unnamed_addr #0 !kernel_arg_addr_space !7 !kernel_arg_access_qual !8 !kernel_arg_type !9 !kernel_arg_base_type !9 !kernel_arg_type_qual !10 {
  %4 = icmp eq i32 %2, 0
  br i1 %4, label %21, label %5

5:                                                ; preds = %3
  %6 = zext i32 %2 to i64
  br label %7

7:                                                ; preds = %5, %7
  %8 = phi i64 [ 0, %5 ], [ %19, %7 ]
  %9 = getelementptr inbounds nuw i64, ptr addrspace(1) %0, i64 %8
  %10 = load i64, ptr addrspace(1) %9, align 8, !tbaa !11
  %11 = load i64, ptr addrspace(1) @type_float, align 8, !tbaa !11
  %12 = icmp eq i64 %10, %11
  %13 = zext i1 %12 to i8
  %14 = load i64, ptr addrspace(1) @small_type, align 8, !tbaa !11
  %15 = icmp eq i64 %10, %14
  %16 = select i1 %15, i8 2, i8 0
  %17 = or disjoint i8 %16, %13
  %18 = getelementptr inbounds nuw i8, ptr addrspace(1) %1, i64 %8
  store i8 %17, ptr addrspace(1) %18, align 1, !tbaa !13
  %19 = add nuw nsw i64 %8, 1
  %20 = icmp eq i64 %19, %6
  br i1 %20, label %21, label %7, !llvm.loop !14

21:                                               ; preds = %7, %3
  ret void
}

; Function Attrs: alwaysinline nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none)
define spir_func void @__clang_ocl_kern_imp_tags(ptr addrspace(1) noundef readonly align 8 captures(none) %0, ptr addrspace(1) noundef writeonly align 1 captures(none) %1, i32 noundef %2) local_unnamed_addr #1 !kernel_arg_addr_space !7 !kernel_arg_access_qual !8 !kernel_arg_type !9 !kernel_arg_base_type !9 !kernel_arg_type_qual !10 {
  %4 = icmp eq i32 %2, 0
  br i1 %4, label %7, label %5

5:                                                ; preds = %3
  %6 = zext i32 %2 to i64
  br label %8

7:                                                ; preds = %8, %3
  ret void

8:                                                ; preds = %5, %8
  %9 = phi i64 [ 0, %5 ], [ %20, %8 ]
  %10 = getelementptr inbounds nuw i64, ptr addrspace(1) %0, i64 %9
  %11 = load i64, ptr addrspace(1) %10, align 8, !tbaa !11
  %12 = load i64, ptr addrspace(1) @type_float, align 8, !tbaa !11
  %13 = icmp eq i64 %11, %12
  %14 = zext i1 %13 to i8
  %15 = load i64, ptr addrspace(1) @small_type, align 8, !tbaa !11
  %16 = icmp eq i64 %11, %15
  %17 = select i1 %16, i8 2, i8 0
  %18 = or disjoint i8 %17, %14
  %19 = getelementptr inbounds nuw i8, ptr addrspace(1) %1, i64 %9
  store i8 %18, ptr addrspace(1) %19, align 1, !tbaa !13
  %20 = add nuw nsw i64 %9, 1
  %21 = icmp eq i64 %20, %6
  br i1 %21, label %7, label %8, !llvm.loop !14
}

attributes #0 = { nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }
attributes #1 = { alwaysinline nofree norecurse nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem0: none, target_mem1: none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "uniform-work-group-size"="false" }

!llvm.module.flags = !{!0, !1}
!opencl.ocl.version = !{!2}
!llvm.errno.tbaa = !{!3}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 7, !"frame-pointer", i32 2}
!2 = !{i32 3, i32 0}
!3 = !{!4, !4, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
!7 = !{i32 1, i32 1, i32 0}
!8 = !{!"none", !"none", !"none"}
!9 = !{!"ulong*", !"uchar*", !"uint"}
!10 = !{!"const", !"", !""}
!11 = !{!12, !12, i64 0}
!12 = !{!"long", !5, i64 0}
!13 = !{!5, !5, i64 0}
!14 = distinct !{!14, !15}
!15 = !{!"llvm.loop.unroll.disable"}
