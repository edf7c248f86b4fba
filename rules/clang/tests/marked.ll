; use: clang
; Marks of the source: by annotation, where it defines the global, and by section. Annotations of others stay.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@ext = external local_unnamed_addr constant ptr, align 8
@def = dso_local global ptr null, align 8
@loc = internal global ptr null, align 8
@sec = dso_local local_unnamed_addr global ptr null, section "reloc.toy", align 8
@secx = external local_unnamed_addr global ptr, section "reloc.toy", align 8
@weak_ = weak dso_local global ptr null, align 8
@.str = private unnamed_addr constant [21 x i8] c"reloc:object:toy:def\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [9 x i8] c"marked.c\00", section "llvm.metadata"
@.str.2 = private unnamed_addr constant [21 x i8] c"reloc:object:toy:loc\00", section "llvm.metadata"
@.str.3 = private unnamed_addr constant [22 x i8] c"reloc:object:toy:weak\00", section "llvm.metadata"
@.str.4 = private unnamed_addr constant [5 x i8] c"note\00", section "llvm.metadata"
@noted = global i32 7, align 4
@llvm.global.annotations = appending global [4 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @def, ptr @.str, ptr @.str.1, i32 2, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @loc, ptr @.str.2, ptr @.str.1, i32 3, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @weak_, ptr @.str.3, ptr @.str.1, i32 6, ptr null }, { ptr, ptr, ptr, i32, ptr } { ptr @noted, ptr @.str.4, ptr @.str.1, i32 8, ptr null }], section "llvm.metadata"

define dso_local ptr @f() local_unnamed_addr {
  %1 = load ptr, ptr @ext, align 8
  ret ptr %1
}

define dso_local ptr @g() local_unnamed_addr {
  %1 = load ptr, ptr @def, align 8
  ret ptr %1
}

define dso_local ptr @h() local_unnamed_addr {
  %1 = load ptr, ptr @loc, align 8
  ret ptr %1
}

define dso_local ptr @i() local_unnamed_addr {
  %1 = load ptr, ptr @sec, align 8
  ret ptr %1
}

define dso_local ptr @j() local_unnamed_addr {
  %1 = load ptr, ptr @secx, align 8
  ret ptr %1
}

define dso_local ptr @k() local_unnamed_addr {
  %1 = load ptr, ptr @weak_, align 8
  ret ptr %1
}

define dso_local noundef nonnull ptr @kk() local_unnamed_addr {
  ret ptr @loc
}



